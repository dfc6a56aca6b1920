/*
 * Exports of orders as shops have them, written from the lists of columns of such programs. Customers place them in turn, and have another name and
 * address in each of their orders, and a phone number in some.
 */

/** The customers of every shop. */
export const SHOPPERS = ['ada@example.com', 'ben@example.com', 'cem@example.com']

export type Export = Readonly<{
  head: string
  rows: readonly string[]
  /** Those that import the orders, and those that import their customers. */
  options: readonly string[]
  ofPlayers: readonly string[]
  /** How many of the orders are none that can be recorded. */
  refused?: number
  /** How many there are besides. */
  orders: number
}>

export const nameIn = (order: number) => `Name ${order}`
export const streetIn = (order: number) => `Street ${order}`
export const phoneIn = (order: number) => (order % 4 === 0 ? `+4930${order}` : '')

const options = (name: string, texts: readonly string[]) => texts.flatMap((text) => [name, text])

const dayOf = (index: number) => new Date(Date.UTC(2025, 0, 5 + index * 9)).toISOString().slice(0, 10)
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Newest first; what belongs to the order is in the first row of each only. */
export function shopify(): Export {
  const orders = Array.from({ length: 30 }, (_, index) => {
    const [price, quantity] = [10 + (index % 7) * 3.5, 1 + (index % 3)]
    const lines = [
      [price, quantity],
      [4.25, 1],
    ].slice(0, 1 + (index % 2)) as [number, number][]
    const subtotal = sum(lines.map(([each, count]) => each * count)).toFixed(2)
    const email = SHOPPERS[index % 3]
    const refunded = index === 12 ? '5.00' : '0.00'
    const cancelled = index === 20 ? `${dayOf(index)} 18:00:00 +0100` : ''
    return lines.map(([each, count], line) => {
      const own =
        line === 0
          ? [email, 'paid', subtotal, '0.00', refunded, `${dayOf(index)} 10:00:00 +0100`, cancelled]
          : [email, '', '', '', '', '', '']
      const customer = line === 0 ? [nameIn(index), streetIn(index)] : ['', '']
      const phone = line === lines.length - 1 ? phoneIn(index) : ''
      return [`#${1001 + index}`, ...own, `Tea ${line}`, count, each.toFixed(2), ...customer, phone].join(',')
    })
  })
  return {
    head: 'Name,Email,Financial Status,Subtotal,Discount Amount,Refunded Amount,Created at,Cancelled at,Lineitem name,Lineitem quantity,Lineitem price,Billing Name,Billing Street,Phone',
    rows: orders.toReversed().flat(),
    options: ['--preset', 'shopify'],
    ofPlayers: ['--preset', 'shopify', ...options('--map', ['Name=Billing Name', 'Add=Billing Street'])],
    orders: orders.length,
  }
}

/** Receipt numbers start again each year, and each line has its own amount. */
export function till(): Export {
  const rows = Array.from({ length: 24 }, (_, index) => {
    const year = index < 12 ? 2024 : 2025
    const date = `${String(3 + index).padStart(2, '0')}.${String(1 + (index % 12)).padStart(2, '0')}.${year}`
    const line = (sku: string, amount: string, phone: string) =>
      [year, (index % 12) + 1, date, SHOPPERS[index % 3], sku, 1, amount, nameIn(index), streetIn(index), phone].join(
        ';',
      )
    return [line('BREAD', '3,40', ''), line('WINE', `${12 + index},90`, phoneIn(index))]
  })
  const format = ['--delimiter', ';', '--date-format', 'DD.MM.YYYY']
  const order = ['order_id=Jahr+"-"+Bon', 'ordered_at=Datum']
  const facts = ['discount=0', 'name=Till', 'email=till@example.com', 'refferral_code=']
  return {
    head: 'Jahr;Bon;Datum;Kunde;Artikel;Menge;Betrag;Name;Anschrift;Telefon',
    rows: rows.flat(),
    options: [
      ...[
        ...format,
        '--decimal',
        'comma',
        ...options('--map', [...order, 'user_id=Kunde', 'total_amount=sum(Betrag)']),
      ],
      ...options(
        '--map',
        ['product_sku_id=Artikel', 'qty=Menge', 'amount=Betrag'].map((one) => `products.${one}`),
      ),
      ...options('--default', facts),
    ],
    ofPlayers: [...format, ...options('--map', [...order, 'User_id=Kunde', 'Add=Anschrift', 'Phone=Telefon'])],
    orders: rows.length,
  }
}

/** As exports write dollars, and what they take off. */
const DOLLARS = [(text: string) => `$${text}`, (text: string) => `US$ ${text}`, (text: string) => `${text} USD`]
const DISCOUNTS = ['($1.50)', '$(1.50)', '-$1.50', '$-1.50', '(1.50 USD)', '$1.50']

/** Dollars, discounts in brackets, refunds as orders with a status of their own, and some of which only the amount is known: below 0. */
export function square(): Export {
  const rows = Array.from({ length: 28 }, (_, index) => {
    const gross = DOLLARS[index % 3]!((15 + (index % 9) * 7).toFixed(2))
    const status = index % 11 === 10 ? 'Refund' : 'Payment'
    const discount = DISCOUNTS[index % DISCOUNTS.length]
    const order = [`tx-${index}`, `${dayOf(index)}T09:30:00Z`, SHOPPERS[index % 3], gross, discount, '10%', status]
    return [...order, nameIn(index), streetIn(index), phoneIn(index)].join(',')
  })
  const refunds = ['($15.00)', '-$22.00'].map((gross, index) =>
    [`rf-${index}`, `${dayOf(index)}T09:30:00Z`, SHOPPERS[index], gross, '$0.00', '10%', 'Refund', '', '', ''].join(
      ',',
    ),
  )
  const order = ['order_id=Transaction ID', 'ordered_at=Date']
  const maps = ['user_id=Customer', 'total_amount=Gross Sales', 'discount=Discounts', 'status=Event']
  const facts = ['name=Square', 'email=square@example.com', 'refferral_code=', 'products=[]']
  return {
    head: 'Transaction ID,Date,Customer,Gross Sales,Discounts,Discount %,Event,Customer Name,Street,Phone',
    rows: [...rows, ...refunds],
    refused: refunds.length,
    options: [
      ...[...options('--map', [...order, ...maps]), ...options('--default', facts)],
      ...['--values', 'status=Payment:placed,Refund:returned'],
    ],
    ofPlayers: options('--map', [...order, 'User_id=Customer', 'Name=Customer Name', 'Add=Street']),
    orders: rows.length,
  }
}

/** A fixed shuffle: neighbours are far apart. */
export const shuffled = <T>(rows: readonly T[]): T[] =>
  rows
    .map((row, index) => ({ row, key: ((index * 7_919) % 104_729) ^ ((index * 31) % 97) }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row)
