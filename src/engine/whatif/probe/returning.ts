import fc from 'fast-check'
import type { SentOrder } from '../../points/model.ts'
import type { Amount } from '../../points/units.ts'
import { orderSteps } from '../replay.ts'
import type { ProgramProperty } from './property.ts'
import {
  type Choices,
  choicesIn,
  earnAlike,
  elementAt,
  keepsLevel,
  orderOfLines,
  type RecordedStep,
  replayAfter,
  type Scenario,
  scenarioOf,
} from './scenario.ts'
import type { SearchSpace } from './search-space.ts'

const WAYS = ['returned', 'cancelled', 'smaller'] as const
const TIMES = [1, 2, 3, 4, 5, 10, 20]
const TIMES_PLACES = 12

export type ReturningChoices = Readonly<{ choices: Choices; amount: number; times: number; way: number }>

/** Goods that are bought for the points that they bring to other orders, and then returned. */
export const returning: ProgramProperty<ReturningChoices> = {
  promise:
    'After orders are returned, cancelled or sent again smaller, the points left on the account never exceed both twice what the kept orders would have earned alone and that amount plus what ten units of money earn.',
  // Otherwise an order earns as much after others as alone.
  applies: ({ variesWith: { balance, level, count } }) => balance || level || count,
  samples: returningChoicesIn,
  counterexample: (sample, space) => {
    const scenario = scenarioOf({ ...sample.choices, orders: 0 }, space)
    const { world } = scenario
    const way = elementAt(WAYS, sample.way)
    const bought = ordersToReturn(sample, scenario)
    const kept: SentOrder = { ...scenario.order, id: 'kept' }
    const back = bought.map((order) => (way === 'smaller' ? shrunk(order, space.smallest) : { ...order, status: way }))
    const remaining = way === 'smaller' ? [...back, kept] : [kept]
    const replay = replayAfter(space, scenario)
    const opening = world.players[0]!.points
    // At the same level the kept order earns as much as alone, and so do those sent again smaller.
    const isAtOneLevel = (orders: readonly SentOrder[]) => {
      const [first] = replay(orders.slice(0, 1)) ?? []
      return first !== undefined && keepsLevel(first, orders.length, space)
    }
    if (earnAlike(space) && isAtOneLevel(bought) && (way !== 'smaller' || isAtOneLevel(back))) return undefined
    const earned = gainOf(replay(remaining), opening)
    if (earned === undefined) return undefined
    const isTooMuch = (left: bigint) => left >= space.gainMin && left > 2n * earned && left - earned >= space.gainMin
    if (way !== 'smaller') {
      // Orders that are taken back earn nothing: what is left in the end is what the kept one earns.
      const last = replay([...bought, kept])?.at(-1)
      if (last === undefined || !isTooMuch(last.prediction.points)) return undefined
    }
    const left = gainOf(replay([...bought, kept, ...back]), opening)
    if (left === undefined || !isTooMuch(left)) return undefined
    const count = bought.length === 1 ? 'one order is' : `${bought.length} orders are`
    const done = way === 'smaller' ? 'sent again smaller' : way
    return {
      title: `After ${count} ${done}, ${left} points are left; what was kept would have earned ${earned} alone.`,
      because: [],
      world,
      histories: [
        { name: `bought, and ${done}`, steps: orderSteps([...bought, kept, ...back]) },
        { name: 'only what was kept', steps: orderSteps(remaining) },
      ],
    }
  },
}

export function returningChoicesIn(space: SearchSpace): fc.Arbitrary<ReturningChoices> {
  return fc.record({
    choices: choicesIn(space),
    amount: fc.nat({ max: Math.max(...space.domains.map(({ amounts }) => amounts.length)) - 1 }),
    times: fc.nat({ max: TIMES_PLACES - 1 }),
    way: fc.nat({ max: WAYS.length - 1 }),
  })
}

/** Equal orders of one line. Their number also comes from the order counts that the rule mentions. */
export function ordersToReturn(sample: ReturningChoices, { domain, order }: Scenario): SentOrder[] {
  const counts = [...new Set([...TIMES, ...domain.orders])].filter((count) => count > 0).sort((a, b) => a - b)
  const line = { ...order.lines[0]!, amount: elementAt(domain.amounts, sample.amount) }
  return Array.from({ length: elementAt(counts, sample.times) }, (_, index): SentOrder => {
    const { id, lines, total } = orderOfLines(`back-${index + 1}`, [line])
    return { ...order, id, lines, total, discount: 0n }
  })
}

/** The points left after the last step, less the opening balance. */
function gainOf(steps: readonly RecordedStep[] | undefined, opening: bigint): bigint | undefined {
  return steps && steps.at(-1)!.balance - opening
}

/** The order, resent with the smallest amount. */
function shrunk(order: SentOrder, amount: Amount): SentOrder {
  const lines = order.lines.map((line) => ({ ...line, amount }))
  return { ...order, lines, total: amount }
}
