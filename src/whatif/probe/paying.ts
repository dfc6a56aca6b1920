/*
 * Orders that are paid with points, as many as the program lets them.
 */
import { netOf } from '../../points/bases.ts'
import { type SentOrder, UNKNOWN_PLAYER } from '../../points/model.ts'
import type { Program, RedeemRules } from '../../points/program-model.ts'
import { mostFor, paidBy } from '../../points/redeem-rules.ts'
import type { Amount, Moment, Points } from '../../points/units.ts'
import type { Wait } from '../replay.ts'
import { replayAfter, type Scenario } from './scenario.ts'
import type { SearchSpace } from './search-space.ts'
import { usualOrders } from './splitting.ts'

/** An order that points pay, and what is left of it to pay with money. */
export type PaidWithPoints = Readonly<{ order: SentOrder; redeemed: Points; money: Amount }>

/** The order with as many points redeemed as it may, at most `available`; undefined where it may not redeem any. */
export function paidWithPoints(
  order: SentOrder,
  program: Program,
  at: Moment,
  available?: Points,
): PaidWithPoints | undefined {
  if (program.redeem?.value === undefined) return undefined
  const { when: _, ...redeem } = program.redeem
  // Its condition is asked when the order is recorded.
  const limit = mostFor({ ...order, at: order.at ?? at }, UNKNOWN_PLAYER, new Map(), { ...program, redeem })
  if (!('most' in limit)) return undefined
  const most = available !== undefined && available < limit.most ? available : limit.most
  const redeemed = most - (most % redeem.step)
  if (redeemed <= 0n || redeemed < redeem.least) return undefined
  return withPoints(order, redeemed, redeem)
}

function withPoints(order: SentOrder, redeemed: Points, redeem: RedeemRules): PaidWithPoints {
  const pays = paidBy(redeemed, redeem)
  const discount = redeem.inDiscount ? order.discount + pays : order.discount
  const paid = { ...order, discount, pointsRedeemed: redeemed }
  return { order: paid, redeemed, money: netOf(paid) - (redeem.inDiscount ? 0n : pays) }
}

/** Whether so many points are as much as so much money earns in the best order of a usual size. */
export function isAsMuchAsMoneyEarns(
  points: Points,
  money: Amount,
  order: SentOrder,
  scenario: Pick<Scenario, 'world' | 'before'>,
  space: SearchSpace,
): boolean {
  if (points < 0n) return false
  if (money === 0n) return true
  const replay = replayAfter(space, scenario)
  for (const usual of usualOrders(order, space)) {
    const earned = replay([usual])?.[0]?.prediction.points ?? 0n
    if (earned * money > points * netOf(usual)) return false
  }
  return true
}

/** How long points wait for being usable; undefined where they do not. */
export function pendingOf({ points }: Program): Wait | undefined {
  const days = points?.pending?.days ?? 0
  return days === 0 ? undefined : { days }
}

/** The order as final for the shop, where points wait for that. */
export function fulfilled(order: SentOrder, { points }: Program, at: Moment): SentOrder {
  return points?.pending?.after === 'fulfilled' ? { ...order, fulfilledAt: order.at ?? at } : order
}
