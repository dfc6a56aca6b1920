/*
 * A visit: somebody comes to the shop with an order. It is made of numbers, each a place in a list that begins with what is simplest, so
 * that the property-test library shrinks a visit by making its numbers smaller.
 */
import fc from 'fast-check'
import { AMOUNT_SCALE, sumAmounts } from '../../points/arithmetic.ts'
import { netOf } from '../../points/bases.ts'
import type { Line, SentOrder } from '../../points/model.ts'
import type { Amount } from '../../points/units.ts'
import { type ReplayStep, replayFrom, type TestPlayer, type World } from '../replay.ts'
import { type Aim, type Shop, STARTS_AT } from './shop.ts'

type LineGene = Readonly<{ product: number; amount: number; qty: number; free: number }>

/** Places in the lists of the aim. */
export type VisitGene = Readonly<{
  aim: number
  points: number
  orders: number
  profile: number
  flag: number
  code: number
  moment: number
  price: number
  discount: number
  lines: readonly LineGene[]
}>

/** Who comes, to what prices, after which orders, and with which order. */
export type Visit = Readonly<{ aim: Aim; world: World; before: readonly SentOrder[]; order: SentOrder }>

export const SHOPPER = 'shopper'
const LINES_MAX = 3

export function visits({ aims }: Shop): fc.Arbitrary<VisitGene> {
  const place = (list: (aim: Aim) => readonly unknown[]) =>
    fc.nat({ max: Math.max(...aims.map((aim) => list(aim).length)) - 1 })
  return fc.record({
    // First, so that there are few of them before anything else is made simpler.
    lines: fc.array(
      fc.record({
        product: place(({ products }) => products),
        amount: place(({ amounts }) => amounts),
        qty: place(({ quantities }) => quantities),
        free: fc.nat({ max: 3 }),
      }),
      { minLength: 1, maxLength: LINES_MAX },
    ),
    aim: fc.nat({ max: aims.length - 1 }),
    points: place(({ points }) => points),
    orders: place(({ orders }) => orders),
    profile: place(({ profiles }) => profiles),
    flag: place(({ flags }) => flags),
    code: place(({ codes }) => codes),
    moment: place(({ moments }) => moments),
    price: place(({ prices }) => prices),
    discount: fc.nat({ max: 7 }),
  })
}

/** The visit that a gene stands for. Lines that are free have the amount 0. */
export function visitOf(gene: VisitGene, shop: Shop): Visit {
  const aim = at(shop.aims, gene.aim)
  const lines = gene.lines.map((line) => lineOf(line, aim))
  const total = totalOf(lines)
  const price = at(aim.prices, gene.price)
  return {
    aim,
    world: {
      startsAt: STARTS_AT,
      catalogue: new Map(shop.hasCatalogue ? aim.products.slice(1).map((sku) => [sku, price]) : []),
      players: [{ ...aPlayer(SHOPPER), profile: at(aim.profiles, gene.profile), points: at(aim.points, gene.points) }],
    },
    before: Array.from({ length: at(aim.orders, gene.orders) }, (_, index) => cancelledBefore(index)),
    order: {
      ...anOrder('order', lines),
      discount: discountOf(gene.discount, total, shop),
      subscriptPoints: at(aim.flags, gene.flag),
      referralCode: at(aim.codes, gene.code),
      ...momentOf(at(aim.moments, gene.moment)),
    },
  }
}

export function aPlayer(userId: string): TestPlayer {
  return {
    userId,
    profile: { region: '', district: '', country: '', gender: '' },
    referralCode: '',
    points: 0n,
    counts: true,
  }
}

/** An order of some lines that costs what they cost. */
export function anOrder(id: string, lines: readonly Line[], userId = SHOPPER): SentOrder {
  return {
    id,
    userId,
    lines,
    total: totalOf(lines),
    discount: 0n,
    referralCode: '',
    subscriptPoints: false,
    status: 'placed',
  }
}

export function totalOf(lines: readonly Line[]): Amount {
  return sumAmounts(lines.map(({ amount }) => amount ?? 0n))
}

/** What is paid for an order. */
export function paidFor(order: SentOrder): Amount {
  return netOf({ ...order, at: order.at ?? STARTS_AT })
}

/** The same order `times` over, as one: each line, the money and the discount. */
export function multiplied(order: SentOrder, times: bigint): SentOrder {
  const lines = order.lines.map((line) => ({
    ...line,
    qty: line.qty * times,
    ...(line.amount === undefined ? {} : { amount: line.amount * times }),
  }))
  return { ...order, lines, total: order.total * times, discount: order.discount * times }
}

/** The same order with more to pay for its first line that is not free. */
export function raised(order: SentOrder, by: Amount): SentOrder {
  const index = order.lines.findIndex(({ amount }) => amount !== undefined && amount > 0n)
  const lines = order.lines.map((line, place) =>
    place === index ? { ...line, amount: (line.amount ?? 0n) + by } : line,
  )
  return { ...order, lines, total: order.total + by }
}

/** Makes what plays the orders that follow those from before; only these are answered, undefined where one is refused. */
export function playAfter(shop: Shop, { world, before }: Pick<Visit, 'world' | 'before'>) {
  const play = replayFrom(shop.program, world)
  return (orders: readonly SentOrder[]): Played[] | undefined => {
    const steps = play([...before, ...orders]).slice(before.length)
    return steps.every(isPlayed) ? steps : undefined
  }
}

export type Played = Extract<ReplayStep, { balance: bigint }>

function isPlayed(step: ReplayStep): step is Played {
  return 'prediction' in step
}

/** The element of a list that is not empty; numbers beyond its end begin anew. */
export function at<T>(list: readonly T[], place: number): T {
  return list[place % list.length]!
}

function lineOf({ product, amount, qty, free }: LineGene, aim: Aim): Line {
  return {
    sku: at(aim.products, product),
    qty: at(aim.quantities, qty),
    amount: free === 3 ? 0n : at(aim.amounts, amount),
  }
}

/** The discount of everything. */
export const ALL_OFF = 3

/** A tenth, half, or all of it; mostly none. */
function discountOf(kind: number, total: Amount, { step }: Shop): Amount {
  if (kind === ALL_OFF) return total
  const part = kind === 1 ? total / 10n : kind === 2 ? total / 2n : 0n
  return part - (part % step)
}

function momentOf(moment: string | undefined): { at?: string } {
  return moment === undefined ? {} : { at: moment }
}

function cancelledBefore(index: number): SentOrder {
  return { ...anOrder(`before-${index + 1}`, [{ qty: AMOUNT_SCALE, amount: 0n }]), status: 'cancelled' }
}
