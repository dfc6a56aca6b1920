import fc from 'fast-check'
import type { SentOrder } from '../../points/model.ts'
import type { Kind } from './kind.ts'
import { anOrder, at, playAfter, type VisitGene, visitOf, visits } from './visit.ts'

const WAYS = ['returned', 'cancelled', 'smaller'] as const
const TIMES = [1, 2, 3, 4, 5, 10, 20]
const TIMES_PLACES = 12

type Gene = Readonly<{ visit: VisitGene; amount: number; times: number; way: number }>

/** Goods bought for what they bring to other orders, and given back. */
export const returning: Kind<Gene> = {
  promise:
    'After orders are returned, cancelled or sent again smaller, what is left on the account is never more than twice what the orders that were kept would have earned alone and also more by what ten units of money earn.',
  genes: (shop) =>
    fc.record({
      visit: visits(shop),
      amount: fc.nat({ max: Math.max(...shop.aims.map(({ amounts }) => amounts.length)) - 1 }),
      times: fc.nat({ max: TIMES_PLACES - 1 }),
      way: fc.nat({ max: WAYS.length - 1 }),
    }),
  judge: (gene, shop) => {
    const visit = visitOf({ ...gene.visit, orders: 0 }, shop)
    const { world, aim } = visit
    const play = playAfter(shop, visit)
    const times = at(
      [...new Set([...TIMES, ...aim.orders])].filter((count) => count > 0).sort((a, b) => a - b),
      gene.times,
    )
    const way = at(WAYS, gene.way)
    const { sku, qty } = visit.order.lines[0]!
    const bought = Array.from(
      { length: times },
      (_, index): SentOrder => ({
        ...visit.order,
        ...totals(
          anOrder(`back-${index + 1}`, [
            { ...(sku === undefined ? {} : { sku }), qty, amount: at(aim.amounts, gene.amount) },
          ]),
        ),
        discount: 0n,
      }),
    )
    const kept: SentOrder = { ...visit.order, id: 'kept' }
    const back = bought.map((order) => (way === 'smaller' ? shrunk(order, shop.smallest) : { ...order, status: way }))
    const played = play([...bought, kept, ...back])
    if (played === undefined) return undefined
    const brought = world.players[0]!.points
    const left = played.at(-1)!.balance - brought
    if (left < shop.worth) return undefined
    const remaining = way === 'smaller' ? [...back, kept] : [kept]
    const alone = play(remaining)
    if (alone === undefined) return undefined
    const earned = alone.at(-1)!.balance - brought
    if (left <= 2n * earned || left - earned < shop.worth) return undefined
    const count = times === 1 ? 'one order is' : `${times} orders are`
    const done = way === 'smaller' ? 'sent again smaller' : way
    return {
      title: `After ${count} ${done}, ${left} points are left; what was kept would have earned ${earned} alone.`,
      because: [],
      world,
      histories: [
        { name: `bought, and ${done}`, orders: [...bought, kept, ...back] },
        { name: 'only what was kept', orders: [...remaining] },
      ],
    }
  },
}

function totals({ id, lines, total }: SentOrder): Pick<SentOrder, 'id' | 'lines' | 'total'> {
  return { id, lines, total }
}

/** Sent again with the smallest amount. */
function shrunk(order: SentOrder, amount: bigint): SentOrder {
  const lines = order.lines.map((line) => ({ ...line, amount }))
  return { ...order, lines, total: amount }
}
