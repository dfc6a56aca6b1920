import fc from 'fast-check'
import { amountText } from '../../points/arithmetic.ts'
import { computeNet } from '../../points/bases.ts'
import type { SentOrder } from '../../points/model.ts'
import { orderSteps } from '../replay.ts'
import type { ProgramProperty } from './property.ts'
import { type Choices, choicesIn, replayAfter, type Scenario, scenarioOf } from './scenario.ts'

type Sample = Readonly<{ choices: Choices; line: number; more: number; byQuantity: boolean }>

/** An order that earns fewer points with more in it. */
export const spendingMore: ProgramProperty<Sample> = {
  promise:
    'The same order of the same player with more of a line, or with a higher amount for it, never earns fewer points.',
  samples: (space) =>
    fc.record({
      choices: choicesIn(space),
      line: fc.nat({ max: 2 }),
      more: fc.nat({ max: 3 }),
      byQuantity: fc.boolean(),
    }),
  counterexample: (sample, space) => {
    const scenario = scenarioOf(sample.choices, space)
    const { world, before, order } = scenario
    const larger = largerOrder(sample, scenario)
    if (larger === undefined) return undefined
    const replay = replayAfter(space, scenario)
    const [less] = replay([order]) ?? []
    const [more] = replay([larger]) ?? []
    if (less === undefined || more === undefined || more.prediction.points >= less.prediction.points) return undefined
    return {
      title: `An order of ${amountText(computeNet(order))} earns ${less.prediction.points} points; with more in it, ${amountText(computeNet(larger))} to pay, it earns ${more.prediction.points}.`,
      because: [],
      world,
      histories: [
        { name: 'the order', steps: orderSteps([...before, order]) },
        { name: 'the same with more in it', steps: orderSteps([...before, larger]) },
      ],
    }
  },
}

/** The order with more pieces of a line, or with a higher amount for it; undefined if the domain has no larger value. */
function largerOrder({ line, more, byQuantity }: Sample, { order, domain }: Scenario): SentOrder | undefined {
  const index = line % order.lines.length
  const { qty, amount = 0n } = order.lines[index]!
  const larger = (list: readonly bigint[], than: bigint) => list[list.findIndex((one) => one > than) + more]
  const newQty = byQuantity ? larger(domain.quantities, qty) : qty
  const newAmount = byQuantity ? newQty && (amount * newQty) / qty : larger(domain.amounts, amount)
  if (newQty === undefined || newAmount === undefined || newQty < qty || newAmount < amount) return undefined
  const lines = order.lines.map((one, place) => (place === index ? { ...one, qty: newQty, amount: newAmount } : one))
  return { ...order, id: 'more', lines, total: order.total + newAmount - amount }
}
