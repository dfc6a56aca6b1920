import fc from 'fast-check'
import { amountText } from '../../points/arithmetic.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Kind } from './kind.ts'
import { paidFor, playAfter, type VisitGene, visitOf, visits } from './visit.ts'

type Gene = Readonly<{ visit: VisitGene; line: number; more: number; byPieces: boolean }>

/** The same order with more in it. */
export const spendingMore: Kind<Gene> = {
  promise:
    'The same order of the same player with more of a line, or with a higher amount for it, never earns fewer points.',
  genes: (shop) =>
    fc.record({ visit: visits(shop), line: fc.nat({ max: 2 }), more: fc.nat({ max: 3 }), byPieces: fc.boolean() }),
  judge: ({ visit: gene, line, more, byPieces }, shop) => {
    const visit = visitOf(gene, shop)
    const { world, before, order, aim } = visit
    const place = line % order.lines.length
    const { qty, amount = 0n } = order.lines[place]!
    const larger = (list: readonly bigint[], than: bigint) => list[list.findIndex((one) => one > than) + more]
    const newQty = byPieces ? larger(aim.quantities, qty) : qty
    const newAmount = byPieces ? newQty && (amount * newQty) / qty : larger(aim.amounts, amount)
    if (newQty === undefined || newAmount === undefined || newQty < qty || newAmount < amount) return undefined
    const lines = order.lines.map((one, index) => (index === place ? { ...one, qty: newQty, amount: newAmount } : one))
    const bigger: SentOrder = { ...order, id: 'more', lines, total: order.total + newAmount - amount }
    const play = playAfter(shop, visit)
    const [less] = play([order]) ?? []
    const [after] = play([bigger]) ?? []
    if (less === undefined || after === undefined || after.prediction.points >= less.prediction.points) return undefined
    const [few, many] = [less.prediction.points, after.prediction.points]
    return {
      title: `An order of ${amountText(paidFor(order))} earns ${few} points; with more in it, ${amountText(paidFor(bigger))} to pay, it earns ${many}.`,
      because: [],
      world,
      histories: [
        { name: 'the order', orders: [...before, order] },
        { name: 'the same with more in it', orders: [...before, bigger] },
      ],
    }
  },
}
