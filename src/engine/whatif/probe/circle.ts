import fc from 'fast-check'
import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import type { SentOrder } from '../../points/model.ts'
import { orderSteps, replayFrom, type World } from '../replay.ts'
import { STARTS_AT } from './domains.ts'
import type { ProgramProperty } from './property.ts'
import { elementAt, orderOfLines, playerOf } from './scenario.ts'

type Sample = Readonly<{ accounts: number; amount: number; product: number; domain: number }>
const ACCOUNTS = ['anna', 'bela', 'cleo', 'dora'] as const

/** New accounts that refer each other. */
export const circle: ProgramProperty<Sample> = {
  promise:
    'New accounts that refer each other in a circle, each with one order below a unit of money, bring none of them to a level that it would not reach without the codes.',
  applies: ({ program }) => program.referral !== undefined,
  areFew: true,
  samples: ({ domains }) =>
    fc.record({
      accounts: fc.nat({ max: 2 }),
      amount: fc.nat({ max: 3 }),
      domain: fc.nat({ max: domains.length - 1 }),
      product: fc.nat({ max: 3 }),
    }),
  counterexample: (sample, { program, domains, unit, smallest }) => {
    const names = ACCOUNTS.slice(0, sample.accounts + 2)
    const world: World = {
      startsAt: STARTS_AT,
      catalogue: new Map(),
      players: names.map((name) => ({ ...playerOf(name), referralCode: name.toUpperCase() })),
    }
    const { products, amounts } = elementAt(domains, sample.domain)
    const small = amounts.filter((amount) => amount < unit)
    const amount = small.length === 0 ? smallest : elementAt(small, sample.amount)
    const goods = elementAt(products, sample.product)
    const orders = names.map(
      (name, index): SentOrder => ({
        ...orderOfLines(`order-of-${name}`, [{ ...goods, qty: AMOUNT_SCALE, amount }], name),
        referralCode: elementAt(names, index + 1).toUpperCase(),
      }),
    )
    const ordersWithoutCodes = orders.map((order) => ({ ...order, referralCode: '' }))
    const replay = replayFrom(program, world)
    const [withCodes, without] = [replay(orderSteps(orders)).at(-1)!, replay(orderSteps(ordersWithoutCodes)).at(-1)!]
    if (!('prediction' in withCodes && 'prediction' in without)) return undefined
    const [reached, levelWithout] = [withCodes.prediction.level.after, without.prediction.level.after]
    if (reached === levelWithout) return undefined
    const last = names.at(-1)!
    const all = `${names.length} new accounts that refer each other, each with one order of ${amountText(amount)}`
    return {
      title: `${all}, bring ${last} to ${reached}; without the codes it is ${levelWithout}.`,
      because: [
        `With the codes ${last} has ${withCodes.balance} points and is ${reached}; without them ${without.balance} and ${levelWithout}.`,
      ],
      world,
      histories: [
        { name: 'in a circle', steps: orderSteps(orders) },
        { name: 'without the codes', steps: orderSteps(ordersWithoutCodes) },
      ],
    }
  },
}
