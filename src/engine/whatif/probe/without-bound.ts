import fc from 'fast-check'
import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import { computeNet } from '../../points/bases.ts'
import type { SentOrder } from '../../points/model.ts'
import { orderSteps } from '../replay.ts'
import type { ProgramProperty } from './property.ts'
import { type Choices, choicesIn, elementAt, replayAfter, scenarioOf } from './scenario.ts'

type Sample = Readonly<{ choices: Choices; free: number }>
/** Numbers of free units. Points that keep growing through all of them have no sensible ceiling. */
const UNITS = [10n, 100n, 1_000n, 10_000n, 100_000n].map((units) => units * AMOUNT_SCALE)

/** Free units alongside something small that is paid for. */
export const withoutBound: ProgramProperty<Sample> = {
  promise:
    'With at most a unit of money paid, the points of an order do not keep growing with units that cost nothing: not from 10 units to 100, 1,000, 10,000 and 100,000.',
  samples: (space) => fc.record({ choices: choicesIn(space), free: fc.nat({ max: 5 }) }),
  counterexample: ({ choices, free }, space) => {
    const scenario = scenarioOf(choices, space)
    const { world, before, order, domain } = scenario
    if (computeNet(order) === 0n || computeNet(order) > space.unit) return undefined
    const goods = elementAt(domain.products, free)
    const orders = UNITS.map(
      (qty, index): SentOrder => ({
        ...order,
        id: `order-${index + 1}`,
        lines: [...order.lines, { ...goods, qty, amount: 0n }],
      }),
    )
    const replay = replayAfter(space, scenario)
    const points: bigint[] = []
    for (const one of orders) {
      const [step] = replay([one]) ?? []
      if (step === undefined || step.prediction.points <= (points.at(-1) ?? -1n)) return undefined
      points.push(step.prediction.points)
    }
    const units = UNITS.map(amountText)
    return {
      title: `An order of ${amountText(computeNet(order))} earns ${points.at(-1)} points with 100000 free units of ${goods.sku}, and more points with more units.`,
      because: units.map((qty, index) => `${qty} free units of ${goods.sku}: ${points[index]} points.`),
      world,
      histories: orders.map((one, index) => ({
        name: `with ${units[index]} free units`,
        steps: orderSteps([...before, one]),
      })),
    }
  },
}
