import fc from 'fast-check'
import { amountText } from '../../points/arithmetic.ts'
import { pointsWord } from '../../points/message.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Points } from '../../points/units.ts'
import { type HistoryStep, orderSteps } from '../replay.ts'
import { fulfilled, matchesCashEarnRate, type PaidWithPoints, paidWithPoints, pendingOf } from './paying.ts'
import type { ProgramProperty } from './property.ts'
import { ordersToReturn, type ReturningChoices, returningChoicesIn } from './returning.ts'
import { elementAt, replayStepsAfter, type Scenario, scenarioOf } from './scenario.ts'
import type { SearchSpace } from './search-space.ts'

const WAYS = ['returned', 'cancelled'] as const
const ROUNDS = 2

type Sample = ReturningChoices & Readonly<{ spend: number }>

/** Goods that are bought, and returned after their points were spent on other goods, again and again. */
export const loop: ProgramProperty<Sample> = {
  promise:
    'After orders are bought, their points spent on another order, and the first ones returned or cancelled, twice over, the customer has fewer points to spend than before; or the orders paid with points earn, beyond their cost, less than their money would in the best order of a usual size in their place, or earn as much without any return.',
  // Otherwise the order paid with points earns as much without any return.
  applies: ({ program: { redeem }, variesWith }) =>
    redeem?.value !== undefined && (redeem.when !== undefined || Object.values(variesWith).includes(true)),
  samples: (space) =>
    fc.tuple(returningChoicesIn(space), fc.nat({ max: 2 })).map(([choices, spend]) => ({ ...choices, spend })),
  counterexample: (sample, space) => {
    const { program } = space
    const scenario = scenarioOf({ ...sample.choices, orders: 0 }, space)
    const { world } = scenario
    const way = elementAt(WAYS, sample.way)
    const bought = ordersToReturn(sample, scenario).map((order) => fulfilled(order, program, world.startsAt))
    const wait = pendingOf(program)
    const replay = replayStepsAfter(space, { world, before: [] })
    const opening = world.players[0]!.points
    const earned = replay([...orderSteps(bought), ...later(bought, wait)])?.at(-1)?.available
    if (earned === undefined || earned <= 0n) return undefined
    const paid = spendingOf(sample.spend, earned, scenario, space)
    if (paid === undefined || earnsAlone(paid, scenario, space)) return undefined
    const { order, redeemed, money } = paid
    const rounds = Array.from({ length: ROUNDS }, (_, index) => roundOf({ bought, order, way }, index + 1))
    const steps = rounds.flatMap(({ before, paid, back }): HistoryStep[] => [
      ...orderSteps(before),
      { order: paid, ...(wait === undefined ? {} : { wait }) },
      ...orderSteps(back),
    ])
    const replayed = replay([...steps, ...later(rounds.at(-1)!.back, wait)])
    if (replayed === undefined || replayed.at(-1)!.available < opening) return undefined
    const earnsEnough = rounds.every(({ before, paid }, index) => {
      const { prediction } = replayed.find((step) => step.order === paid)!
      // All orders so far, as if paid with money.
      const earlier = rounds.slice(0, index).flatMap((one) => [...one.before, withMoney(one.paid, order), ...one.back])
      const place = { ...scenario, before: [...earlier, ...before] }
      return matchesCashEarnRate(prediction.points - redeemed, money, scenario.order, place, space)
    })
    if (!earnsEnough) return undefined
    const left = replayed.at(-1)!.available
    const times = BigInt(ROUNDS)
    const count = bought.length === 1 ? 'An order' : `${bought.length} orders`
    return {
      title: `${count} bought, and ${way} after the points were spent: ${ROUNDS} rounds leave goods for ${pointsWord(redeemed * times)}, and no debt.`,
      because: [
        `${opening} points before, ${left} after; ${amountText(times * money)} paid in money for what was kept.`,
      ],
      world,
      histories: [
        { name: `bought, spent and ${way}, ${ROUNDS} times`, steps: [...steps, ...later(rounds.at(-1)!.back, wait)] },
      ],
    }
  },
}

type Round = Readonly<{ before: readonly SentOrder[]; paid: SentOrder; back: readonly SentOrder[] }>

function roundOf(
  { bought, order, way }: Readonly<{ bought: readonly SentOrder[]; order: SentOrder; way: SentOrder['status'] }>,
  round: number,
): Round {
  const before = bought.map((one): SentOrder => ({ ...one, id: `${one.id}-of-round-${round}` }))
  return {
    before,
    paid: { ...order, id: `paid-${round}` },
    back: before.map((one): SentOrder => ({ ...one, status: way })),
  }
}

function withMoney({ id }: SentOrder, { pointsRedeemed: _, ...order }: SentOrder): SentOrder {
  return { ...order, id }
}

/** Resends the last order once its points are usable. */
function later(bought: readonly SentOrder[], wait: HistoryStep['wait']): HistoryStep[] {
  return wait === undefined ? [] : [{ order: bought.at(-1)!, wait }]
}

/** Spends all available points, half of them, or the least that the program lets an order redeem. */
function spendingOf(
  choice: number,
  earned: Points,
  { order, world }: Scenario,
  { program }: SearchSpace,
): PaidWithPoints | undefined {
  const { step, least } = program.redeem!
  const few = least > step ? least + ((step - (least % step)) % step) : step
  const available = [earned, earned / 2n, few][choice]!
  if (available > earned) return undefined
  const spending = fulfilled({ ...order, id: 'spending' }, program, world.startsAt)
  return paidWithPoints(spending, program, world.startsAt, available)
}

/** Whether the order earns back what it costs without anything being returned; that is another finding (`perpetual`). */
function earnsAlone({ order, redeemed, money }: PaidWithPoints, scenario: Scenario, space: SearchSpace): boolean {
  const { world } = scenario
  const [player] = world.players
  const points = player!.points + redeemed
  const richer = { ...world, players: [{ ...player!, points, counts: player!.points > 0n }] }
  const earned = replayStepsAfter(space, { world: richer, before: [] })(orderSteps([order]))?.[0]?.prediction.points
  return earned !== undefined && matchesCashEarnRate(earned - redeemed, money, scenario.order, scenario, space)
}
