import fc from 'fast-check'
import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Kind } from './kind.ts'
import { at, paidFor, playAfter, type VisitGene, visitOf, visits } from './visit.ts'

type Gene = Readonly<{ visit: VisitGene; free: number }>
/** As many free units as no ceiling of sense leaves room for. */
const UNITS = [10n, 100n, 1_000n, 10_000n, 100_000n].map((units) => units * AMOUNT_SCALE)

/** Free units beside something small that is paid. */
export const withoutBound: Kind<Gene> = {
  promise:
    'With at most a unit of money paid, the points of one order do not grow on and on with units that cost nothing: not from 10 units to 100, 1,000, 10,000 and 100,000.',
  genes: (shop) => fc.record({ visit: visits(shop), free: fc.nat({ max: 5 }) }),
  judge: ({ visit: gene, free }, shop) => {
    const visit = visitOf(gene, shop)
    const { world, before, order, aim } = visit
    if (paidFor(order) === 0n || paidFor(order) > shop.unit) return undefined
    const sku = at(aim.products, free)
    const orders = UNITS.map(
      (qty, index): SentOrder => ({
        ...order,
        id: `order-${index + 1}`,
        lines: [...order.lines, { sku, qty, amount: 0n }],
      }),
    )
    const play = playAfter(shop, visit)
    let before10 = -1n
    const points: bigint[] = []
    for (const one of orders) {
      const [played] = play([one]) ?? []
      if (played === undefined || played.prediction.points <= before10) return undefined
      before10 = played.prediction.points
      points.push(before10)
    }
    return {
      title: `An order of ${amountText(paidFor(order))} earns ${points.at(-1)} points with 100000 free units of ${sku}, and more with more.`,
      because: orders.map(
        (one, index) => `${amountText(one.lines.at(-1)!.qty)} free units of ${sku}: ${points[index]} points.`,
      ),
      world,
      histories: orders.map((one) => ({
        name: `with ${amountText(one.lines.at(-1)!.qty)} free units`,
        orders: [...before, one],
      })),
    }
  },
}
