import { amountText } from '../../points/arithmetic.ts'
import { pointsWord } from '../../points/message.ts'
import { type HistoryStep, orderSteps, type World } from '../replay.ts'
import { fulfilled, matchesCashEarnRate, paidWithPoints, pendingOf } from './paying.ts'
import type { ProgramProperty } from './property.ts'
import { type Choices, choicesIn, replayStepsAfter, scenarioOf } from './scenario.ts'

/** More rounds than gifts for first orders last. */
const ROUNDS = 5n

/** Points that pay for goods and are earned back in full. */
export const perpetual: ProgramProperty<Choices> = {
  promise:
    'An order that is paid with as many points as the program allows earns fewer points than it costs or, beyond its cost, fewer than the best order of a usual size earns for the money that is left to pay.',
  applies: ({ program }) => program.redeem?.value !== undefined,
  samples: choicesIn,
  counterexample: (choices, space) => {
    const { program } = space
    const scenario = scenarioOf({ ...choices, orders: 0 }, space)
    const { startsAt, players } = scenario.world
    const paid = paidWithPoints(fulfilled(scenario.order, program, startsAt), program, startsAt)
    if (paid === undefined) return undefined
    const { order, redeemed, money } = paid
    const [player] = players
    const points = player!.points + ROUNDS * redeemed
    const world: World = { ...scenario.world, players: [{ ...player!, points, counts: player!.points > 0n }] }
    const rounds = Array.from({ length: Number(ROUNDS) }, (_, round) => ({ ...order, id: `paid-${round + 1}` }))
    const wait = pendingOf(program)
    const steps: HistoryStep[] = [
      ...orderSteps(rounds),
      ...(wait === undefined ? [] : [{ order: rounds.at(-1)!, wait }]),
    ]
    const replayed = replayStepsAfter(space, { world, before: [] })(steps)
    if (replayed === undefined) return undefined
    const least = replayed.map((step) => step.prediction.points).reduce((a, b) => (a < b ? a : b))
    if (least === 0n || !matchesCashEarnRate(least - redeemed, money, scenario.order, scenario, space)) return undefined
    const { available } = replayed.at(-1)!
    return {
      title: `An order paid with ${pointsWord(redeemed)} earns ${pointsWord(least)}: spending never ends.`,
      because: [
        `${ROUNDS} such orders cost ${pointsWord(ROUNDS * redeemed)} and ${amountText(money * ROUNDS)} in money; of ${pointsWord(points)} before, ${available} can be spent after.`,
      ],
      world,
      histories: [{ name: 'paid with points, again and again', steps }],
    }
  },
}
