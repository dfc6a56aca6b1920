import fc from 'fast-check'
import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import { computeNet } from '../../points/bases.ts'
import type { SentOrder } from '../../points/model.ts'
import { orderSteps } from '../replay.ts'
import type { ProgramProperty } from './property.ts'
import {
  type Choices,
  choicesIn,
  earnAlike,
  elementAt,
  isLevelHeld,
  keepsLevel,
  multiplied,
  type RecordedStep,
  raised,
  replayAfter,
  scenarioOf,
} from './scenario.ts'
import { goodsKey, type SearchSpace } from './search-space.ts'

const PARTS = [2n, 3n, 5n, 10n, 20n, 100n]
const TIMES = [1n, 2n, 3n, 5n, 10n, 20n, 50n, 100n]
/** How many times as much as the best usual order the parts must earn for their money: rounding half up alone can double it. */
const TOO_MUCH = 2n

type Sample = Readonly<{ choices: Choices; parts: number }>

/** An order split into equal small ones. Ordinary thresholds, ceilings and rounding to the nearest point pass. */
export const splitting: ProgramProperty<Sample> = {
  promise:
    'An order that is split into equal small ones, with the same lines and money at the same level, never earns both more than in one piece and more than twice as much for its money as the best order of a usual size.',
  samples: (space) => fc.record({ choices: choicesIn(space), parts: fc.nat({ max: PARTS.length - 1 }) }),
  counterexample: ({ choices, parts: partsIndex }, space) => {
    const scenario = scenarioOf(choices, space)
    const { order: part, world, before } = scenario
    const parts = elementAt(PARTS, partsIndex)
    if (computeNet(part) === 0n || !isPlausible(part, space)) return undefined
    const replay = replayAfter(space, scenario)
    const whole = { ...multiplied(part, parts), id: 'whole' }
    const partOrders = Array.from({ length: Number(parts) }, (_, index) => ({ ...part, id: `part-${index + 1}` }))
    const inOne = replay([whole])
    if (inOne === undefined) return undefined
    const paid = computeNet(whole)
    // A gift for the first order, or the tenth, does not depend on its size, so the usual order is tried in place of the best part.
    const bestInPlaceOf = (earned: bigint, ahead: readonly SentOrder[]) => {
      const replayInPlace = replayAfter(space, { world, before: [...before, ...ahead] })
      return bestUsual(part, space, (order) => {
        const points = replayInPlace([order])?.[0]?.prediction.points ?? 0n
        return { points, isEnough: earned * computeNet(order) <= TOO_MUCH * points * paid }
      })
    }
    if (earnAlike(space)) {
      const [first] = replay(partOrders.slice(0, 1)) ?? []
      if (first === undefined || !keepsLevel(first, partOrders.length - 1, space)) return undefined
      const earned = first.prediction.points * parts
      if (earned <= sumOf(inOne) || bestInPlaceOf(earned, []) === undefined) return undefined
    }
    const inParts = replay(partOrders)
    if (inParts === undefined) return undefined
    const earned = sumOf(inParts)
    if (earned <= sumOf(inOne) || earned === 0n || !isLevelHeld(inParts)) return undefined
    const ahead = partOrders.slice(0, indexOfBest(inParts))
    const best = bestInPlaceOf(earned, ahead)
    if (best === undefined) return undefined
    return {
      title: `${parts} small orders of ${amountText(computeNet(part))} earn ${earned} points; the same in one order of ${amountText(paid)} earns ${sumOf(inOne)}.`,
      because: [
        `The best order of a usual size, one of ${amountText(computeNet(best.order))}, earns ${best.points}: less than half as much for its money.`,
      ],
      world,
      histories: [
        { name: 'in one order', steps: orderSteps([...before, whole]) },
        { name: `in ${parts} orders`, steps: orderSteps([...before, ...partOrders]) },
        { name: 'the best order of a usual size', steps: orderSteps([...before, ...ahead, best.order]) },
      ],
    }
  },
}

/** Whether the order is plausible: a free line has at most one piece, and nothing costs less than any shop would sell it for. */
function isPlausible({ lines, discount }: SentOrder, { perUnit, unit, smallest }: SearchSpace): boolean {
  return (
    discount === 0n &&
    lines.every(({ qty, amount = 0n, ...goods }) => {
      const priceMin = perUnit.has(goodsKey(goods)) ? unit : smallest
      return amount === 0n ? qty <= AMOUNT_SCALE : amount * AMOUNT_SCALE >= priceMin * qty
    })
  )
}

/** The usual order that earns the most for its money. Undefined as soon as one earns enough, as splitting then gains too little. */
function bestUsual(
  part: SentOrder,
  space: SearchSpace,
  earn: (order: SentOrder) => { points: bigint; isEnough: boolean },
): { order: SentOrder; points: bigint } | undefined {
  let best: { order: SentOrder; points: bigint } | undefined
  for (const order of usualOrders(part, space)) {
    const { points, isEnough } = earn(order)
    if (isEnough) return undefined
    if (best === undefined || points * computeNet(best.order) > best.points * computeNet(order))
      best = { order, points }
  }
  return best
}

/** The part multiplied, or with more to pay, or both. */
export function* usualOrders(part: SentOrder, { unit, usual }: SearchSpace): Generator<SentOrder> {
  const paid = computeNet(part)
  const one = { ...part, id: 'usual' }
  for (const times of [...TIMES, (unit + paid - 1n) / paid]) if (paid * times >= unit) yield multiplied(one, times)
  for (const amount of usual) {
    if (amount < paid) continue
    yield raised(one, amount - paid)
    const times = amount / paid
    yield raised(multiplied(one, times), amount - paid * times)
  }
}

function indexOfBest(steps: readonly RecordedStep[]): number {
  const points = steps.map(({ prediction }) => prediction.points)
  return points.indexOf(points.reduce((most, one) => (one > most ? one : most)))
}

function sumOf(steps: readonly RecordedStep[]): bigint {
  return steps.reduce((sum, { prediction }) => sum + prediction.points, 0n)
}
