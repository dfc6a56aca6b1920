/*
 * Sample players, products and orders in wire format, the same in every run.
 */
import { hash } from 'node:crypto'

/** A player: 13 fields, about 300 bytes of JSON. Another edition is the same player with another address. */
export function aPlayer(index: number, edition = 0) {
  return {
    User_id: userId(index),
    Name: `Customer ${index}`,
    Email: `customer.${index}@example.com`,
    Phone: `09${String(index).padStart(8, '0')}`,
    Add: `${(index % 300) + edition} Harbour Road`,
    DOB: `${two((index % 28) + 1)}-${two((index % 12) + 1)}-${1950 + (index % 50)}`,
    Gender: index % 2 === 0 ? 'female' : 'male',
    Refercode: `REF${index}`,
    State: 'Kerala',
    District: 'Ernakulam',
    RefBy: '',
    Pincode: String(680_000 + (index % 1000)),
    Country: 'India',
  }
}

export function aProduct(index: number) {
  return { product_sku_id: sku(index), amount: `${10 + (index % 90)}.50` }
}

/** An order of three lines, two of each product at its price. Consecutive orders belong to different players, in no order of ids. */
export function anOrder(index: number, { players, products }: Readonly<{ players: number; products: number }>) {
  const player = playerNumber(index, players)
  const line = (step: number) => {
    const product = (index * step) % products
    return { product_sku_id: sku(product), amount: String(2 * (10 + (product % 90)) + 1), qty: '2' }
  }
  return {
    name: `Customer ${player}`,
    email: `customer.${player}@example.com`,
    order_id: `order-${index}`,
    user_id: userId(player),
    refferral_code: '',
    total_amount: '1234',
    discount: '34',
    total_qty: '6',
    products: [line(1), line(7), line(13)],
  }
}

/** The player of order number `index`. */
export function playerOf(index: number, players: number): string {
  return userId(playerNumber(index, players))
}

/** The bodies of requests that send `records` records, `each` at a time, from record number `from` on. */
export function bodiesOf(
  record: (index: number) => object,
  { records, each, from = 0 }: Readonly<{ records: number; each: number; from?: number }>,
): Buffer[] {
  return Array.from({ length: Math.ceil(records / each) }, (_, request) => {
    const count = Math.min(each, records - request * each)
    return bodyOf(Array.from({ length: count }, (_, index) => record(from + request * each + index)))
  })
}

export function bodyOf(data: unknown): Buffer {
  return Buffer.from(JSON.stringify({ data }))
}

/** A player as a row for COPY, with a fingerprint of its own. */
export function playerRow(index: number): string {
  const { DOB, ...player } = aPlayer(index)
  const { User_id, Name, Email, Phone, Add, Gender, Refercode, State, District, RefBy, Pincode, Country } = player
  const born = DOB.split('-').reverse().join('-')
  const fingerprint = `\\\\x${hash('md5', User_id)}`
  const values = [User_id, Name, Email, Phone, Add, born, Gender, Refercode, State, District, RefBy, Pincode, Country]
  return [...values, fingerprint, 1, MOMENT, MOMENT, NULL].join('\t')
}

/** A product as a row for COPY. */
export function productRow(index: number): string {
  const { product_sku_id: sku, amount } = aProduct(index)
  return [sku, amount, 1, MOMENT, MOMENT, NULL].join('\t')
}

// 7,919 is prime, so this step visits every player unless it divides their number.
const playerNumber = (index: number, players: number) => (index * 7_919) % players
/** No state version. */
const NULL = '\\N'
const MOMENT = '2026-11-21 10:20:30.456+00'
const userId = (index: number) => `user-${String(index).padStart(8, '0')}`
const sku = (index: number) => `sku-${index}`
const two = (number: number) => String(number).padStart(2, '0')
