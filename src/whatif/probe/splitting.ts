import fc from 'fast-check'
import { amountText } from '../../points/arithmetic.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Amount } from '../../points/units.ts'
import type { Kind } from './kind.ts'
import type { Shop } from './shop.ts'
import {
  at,
  multiplied,
  type Played,
  paidFor,
  playAfter,
  raised,
  type Visit,
  type VisitGene,
  visitOf,
  visits,
} from './visit.ts'

const PARTS = [2n, 3n, 5n, 10n, 20n, 100n]
const TIMES = [1n, 2n, 3n, 5n, 10n, 20n, 50n, 100n]
/** How much more the parts must give for their money than the best usual order: rounding half up may give twice as much. */
const TOO_MUCH = 2n

type Gene = Readonly<{ visit: VisitGene; parts: number }>

/** An order cut into equal small ones. Honest thresholds, ceilings and rounding to the nearest point pass. */
export const splitting: Kind<Gene> = {
  promise:
    'An order that is cut into equal small ones, with the same lines and money and the level held, never earns more than in one piece and also more than twice as much for its money as the best order of a usual size.',
  genes: (shop) => fc.record({ visit: visits(shop), parts: fc.nat({ max: PARTS.length - 1 }) }),
  judge: ({ visit: gene, parts: place }, shop) => {
    const visit = visitOf(gene, shop)
    const { order: part, world, before } = visit
    const parts = at(PARTS, place)
    if (paidFor(part) === 0n || !isPlausible(part, shop)) return undefined
    const play = playAfter(shop, visit)
    const whole = { ...multiplied(part, parts), id: 'whole' }
    const pieces = Array.from({ length: Number(parts) }, (_, index) => ({ ...part, id: `part-${index + 1}` }))
    const inOne = play([whole])
    const inParts = play(pieces)
    if (inOne === undefined || inParts === undefined) return undefined
    const earned = sumOf(inParts)
    const paid = paidFor(whole)
    if (earned <= sumOf(inOne) || earned === 0n || !isLevelHeld(inParts)) return undefined
    // A gift for the first order, or the tenth, is no matter of its size: the usual order comes where the best of the parts came.
    const ahead = pieces.slice(0, placeOfBest(inParts))
    const best = bestUsual(visit, shop, (order) => {
      const points = play([...ahead, order])?.at(-1)?.prediction.points ?? 0n
      return { points, isEnough: earned * paidFor(order) <= TOO_MUCH * points * paid }
    })
    if (best === undefined) return undefined
    return {
      title: `${parts} small orders of ${amountText(paidFor(part))} earn ${earned} points; the same in one order of ${amountText(paid)} earns ${sumOf(inOne)}.`,
      because: [
        `The best order of a usual size, one of ${amountText(paidFor(best.order))}, earns ${best.points}: less than half as much for its money.`,
      ],
      world,
      histories: [
        { name: 'in one order', orders: [...before, whole] },
        { name: `in ${parts} orders`, orders: [...before, ...pieces] },
        { name: 'the best order of a usual size', orders: [...before, ...ahead, best.order] },
      ],
    }
  },
}

/** No trifle of a free line, and no product that earns by the piece for less than a unit. */
function isPlausible({ lines, discount }: SentOrder, { byPiece, unit, smallest }: Shop): boolean {
  return (
    discount === 0n &&
    lines.every(({ sku, qty, amount = 0n }) => {
      const least = byPiece.has(sku ?? '') ? unit : smallest
      return amount === 0n ? qty <= ONE : amount * ONE >= least * qty
    })
  )
}

const ONE = 10_000n

function isLevelHeld(played: readonly Played[]): boolean {
  return played.every(({ prediction }) => prediction.level.before === played[0]!.prediction.level.before)
}

/** The order of a usual size that earns most for its money: the part several times, or with more to pay. Undefined once one is good enough. */
function bestUsual(
  { order: part }: Visit,
  { unit, usual }: Shop,
  earn: (order: SentOrder) => { points: bigint; isEnough: boolean },
): { order: SentOrder; points: bigint } | undefined {
  let best: { order: SentOrder; points: bigint } | undefined
  for (const order of usualOrders(part, unit, usual)) {
    const { points, isEnough } = earn(order)
    if (isEnough) return undefined
    if (best === undefined || points * paidFor(best.order) > best.points * paidFor(order)) best = { order, points }
  }
  return best
}

function* usualOrders(part: SentOrder, unit: Amount, usual: readonly Amount[]): Generator<SentOrder> {
  const paid = paidFor(part)
  const named = { ...part, id: 'usual' }
  for (const times of [...TIMES, (unit + paid - 1n) / paid]) if (paid * times >= unit) yield multiplied(named, times)
  for (const amount of usual) {
    if (amount < paid) continue
    yield raised(named, amount - paid)
    const times = amount / paid
    yield raised(multiplied(named, times), amount - paid * times)
  }
}

function placeOfBest(played: readonly Played[]): number {
  const points = played.map(({ prediction }) => prediction.points)
  return points.indexOf(points.reduce((most, one) => (one > most ? one : most)))
}

function sumOf(played: readonly Played[]): bigint {
  return played.reduce((sum, { prediction }) => sum + prediction.points, 0n)
}
