import fc from 'fast-check'
import { AMOUNT_SCALE, amountText } from '../../points/arithmetic.ts'
import type { SentOrder } from '../../points/model.ts'
import { replayFrom, type World } from '../replay.ts'
import type { Kind } from './kind.ts'
import { STARTS_AT } from './shop.ts'
import { anOrder, aPlayer, at } from './visit.ts'

type Gene = Readonly<{ accounts: number; amount: number; product: number; aim: number }>
const ACCOUNTS = ['anna', 'bela', 'cleo', 'dora'] as const

/** New accounts that refer each other. */
export const circle: Kind<Gene> = {
  promise:
    'New accounts that refer each other in a circle, each with one order below a unit of money, lift none of them to a level that it would not reach without the codes.',
  genes: (shop) =>
    fc.record({
      accounts: fc.nat({ max: 2 }),
      amount: fc.nat({ max: 3 }),
      aim: fc.nat({ max: shop.aims.length - 1 }),
      product: fc.nat({ max: 3 }),
    }),
  judge: (gene, shop) => {
    if (shop.program.referral === undefined) return undefined
    const names = ACCOUNTS.slice(0, gene.accounts + 2)
    const world: World = {
      startsAt: STARTS_AT,
      catalogue: new Map(),
      players: names.map((name) => ({ ...aPlayer(name), referralCode: name.toUpperCase() })),
    }
    const { products, amounts } = at(shop.aims, gene.aim)
    const amount =
      at(
        amounts.filter((one) => one < shop.unit),
        gene.amount,
      ) ?? shop.smallest
    const sku = at(products, gene.product)
    const orders = names.map(
      (name, index): SentOrder => ({
        ...anOrder(`order-of-${name}`, [{ sku, qty: AMOUNT_SCALE, amount }], name),
        referralCode: at(names, index + 1).toUpperCase(),
      }),
    )
    const without = orders.map((order) => ({ ...order, referralCode: '' }))
    const play = replayFrom(shop.program, world)
    const [withCodes, alone] = [play(orders).at(-1)!, play(without).at(-1)!]
    if ('refused' in withCodes || 'refused' in alone) return undefined
    const [reached, own] = [withCodes.prediction.level.after, alone.prediction.level.after]
    if (reached === own) return undefined
    const last = names.at(-1)!
    const all = `${names.length} new accounts that refer each other, each with one order of ${amountText(amount)}`
    return {
      title: `${all}, bring ${last} to ${reached}; without the codes it is ${own}.`,
      because: [
        `With the codes ${last} has ${withCodes.balance} points and is ${reached}; without them ${alone.balance} and ${own}.`,
      ],
      world,
      histories: [
        { name: 'in a circle', orders },
        { name: 'without the codes', orders: without },
      ],
    }
  },
}
