import type { Kind } from './kind.ts'
import { ALL_OFF, paidFor, playAfter, type VisitGene, visitOf, visits } from './visit.ts'

/** Orders for which nothing is paid. */
export const forNothing: Kind<VisitGene> = {
  promise:
    'An order for which nothing is paid, because its lines are free or a discount takes all of it, earns nothing by the rules.',
  genes: visits,
  judge: (gene, shop) => {
    const visit = visitOf(gene, shop)
    const { world, before } = visit
    const isDiscounted = gene.discount === ALL_OFF
    const lines = isDiscounted ? visit.order.lines : visit.order.lines.map((line) => ({ ...line, amount: 0n }))
    const order = { ...visit.order, lines, ...(isDiscounted ? {} : { total: 0n, discount: 0n }) }
    const [played] = playAfter(shop, visit)([order]) ?? []
    if (played === undefined || played.prediction.points === 0n || paidFor(order) > 0n) return undefined
    const { points, earned } = played.prediction
    const rules = earned.filter((one) => one.rule !== 'referral' && one.points.num > 0n).map(({ rule }) => rule)
    return {
      title: `An order for which nothing is paid earns ${points} ${points === 1n ? 'point' : 'points'}.`,
      because: [`Paid: 0. Earned: ${points}, by ${rules.join(', ')}.`],
      world,
      histories: [{ name: 'an order for which nothing is paid', orders: [...before, order] }],
    }
  },
}
