import { computeNet } from '../../points/bases.ts'
import { pointsWord } from '../../points/message.ts'
import { REFERRAL } from '../../points/referral.ts'
import { orderSteps } from '../replay.ts'
import type { ProgramProperty } from './property.ts'
import { ALL_OFF, type Choices, choicesIn, replayAfter, scenarioOf } from './scenario.ts'

/** Orders for which nothing is paid, but which earn points. */
export const forNothing: ProgramProperty<Choices> = {
  promise: 'A free order, with free lines or a discount of its whole amount, earns nothing by the rules.',
  samples: choicesIn,
  counterexample: (choices, space) => {
    const scenario = scenarioOf(choices, space)
    const { world, before } = scenario
    const isDiscounted = choices.discount === ALL_OFF
    const lines = isDiscounted ? scenario.order.lines : scenario.order.lines.map((line) => ({ ...line, amount: 0n }))
    const order = { ...scenario.order, lines, ...(isDiscounted ? {} : { total: 0n, discount: 0n }) }
    const [step] = replayAfter(space, scenario)([order]) ?? []
    if (step === undefined || step.prediction.points === 0n || computeNet(order) > 0n) return undefined
    const { points, earned } = step.prediction
    const rules = earned.filter((one) => one.rule !== REFERRAL && one.points.num > 0n).map(({ rule }) => rule)
    return {
      title: `A free order earns ${pointsWord(points)}.`,
      because: [`Paid: 0. Earned: ${points}, by ${rules.join(', ')}.`],
      world,
      histories: [{ name: 'a free order', steps: orderSteps([...before, order]) }],
    }
  },
}
