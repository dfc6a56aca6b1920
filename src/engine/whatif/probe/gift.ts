import fc from 'fast-check'
import { mentionsIn } from '../../points/condition.ts'
import type { SentOrder } from '../../points/model.ts'
import type { Program } from '../../points/program-model.ts'
import { orderSteps } from '../replay.ts'
import type { ProgramProperty } from './property.ts'
import { type Choices, choicesIn, elementAt, isLevelHeld, replayAfter, scenarioOf } from './scenario.ts'

const WAYS = ['cancelled', 'returned'] as const
const TIMES = [2, 3, 5, 10]

type Sample = Readonly<{ choices: Choices; times: number; way: number }>

/** A gift for customers with few points, obtained with each of many orders that are taken back and placed again. */
export const gift: ProgramProperty<Sample> = {
  promise:
    'Equal orders that are each placed and then cancelled or returned, and in the end all placed again, never earn as much as ten units of money earn beyond what the same orders earn when placed once, one after the other.',
  applies: ({ program }) => dependsOnBalance(program),
  samples: (space) =>
    fc.record({
      choices: choicesIn(space),
      times: fc.nat({ max: TIMES.length - 1 }),
      way: fc.nat({ max: WAYS.length - 1 }),
    }),
  counterexample: (sample, space) => {
    const scenario = scenarioOf({ ...sample.choices, orders: 0 }, space)
    const way = elementAt(WAYS, sample.way)
    const count = elementAt(TIMES, sample.times)
    const orders = Array.from(
      { length: count },
      (_, index): SentOrder => ({ ...scenario.order, id: `gift-${index + 1}` }),
    )
    const replay = replayAfter(space, scenario)
    const opening = scenario.world.players[0]!.points
    const usual = replay(orders)
    if (usual === undefined) return undefined
    const honest = usual.at(-1)!.balance - opening
    // An order placed again is computed with what its player had at its first recording: as much as before the first of them.
    const { variesWith, gainMin } = space
    if (!variesWith.balance && isLevelHeld(usual)) return undefined
    if (!variesWith.count && BigInt(count) * usual[0]!.prediction.points - honest < gainMin) return undefined
    const undone = orders.flatMap((order): SentOrder[] => [order, { ...order, status: way }])
    const again = replay([...undone, ...orders])
    if (again === undefined) return undefined
    const got = again.at(-1)!.balance - opening
    if (got - honest < gainMin) return undefined
    return {
      title: `${count} orders that are each placed and ${way}, and then all placed again, earn ${got} points; placed once they earn ${honest}.`,
      because: ["A changed order is computed with its player's points, level and order count at its first recording."],
      world: scenario.world,
      histories: [
        { name: 'placed one after the other', steps: orderSteps(orders) },
        { name: `each placed and ${way}, then all placed again`, steps: orderSteps([...undone, ...orders]) },
      ],
    }
  },
}

/** Whether what an order earns depends on the player's points or level. */
function dependsOnBalance({ earn }: Program): boolean {
  return earn.some(({ when }) => {
    if (when === undefined) return false
    const { fields } = mentionsIn(when)
    return ['points', 'earned', 'level'].some((field) => fields.has(field))
  })
}
