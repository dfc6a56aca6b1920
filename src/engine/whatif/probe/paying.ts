/*
 * Orders paid with as many points as the program allows.
 */
import { computeNet } from '../../points/bases.ts'
import { type SentOrder, UNKNOWN_PLAYER } from '../../points/model.ts'
import type { Program, RedeemRules } from '../../points/program-model.ts'
import { paidBy, redeemLimitFor } from '../../points/redeem-rules.ts'
import type { Amount, Instant, Points } from '../../points/units.ts'
import type { Duration } from '../replay.ts'
import { replayAfter, type Scenario } from './scenario.ts'
import type { SearchSpace } from './search-space.ts'
import { usualOrders } from './splitting.ts'

/** An order paid with points, and the amount left to pay with money. */
export type PaidWithPoints = Readonly<{ order: SentOrder; redeemed: Points; money: Amount }>

/** The order, redeeming as many points as it may, at most `available`; undefined if it may not redeem any. */
export function paidWithPoints(
  order: SentOrder,
  program: Program,
  at: Instant,
  available?: Points,
): PaidWithPoints | undefined {
  if (program.redeem?.value === undefined) return undefined
  const { when: _, ...redeem } = program.redeem
  // The condition is evaluated when the order is recorded.
  const limit = redeemLimitFor({ ...order, at: order.at ?? at }, UNKNOWN_PLAYER, new Map(), { ...program, redeem })
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
  return { order: paid, redeemed, money: computeNet(paid) - (redeem.inDiscount ? 0n : pays) }
}

/** Whether the points are at least as many as the money would earn in the best order of a usual size. */
export function matchesCashEarnRate(
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
    if (earned * money > points * computeNet(usual)) return false
  }
  return true
}

/** How long points are pending before they are usable; undefined if they are usable at once. */
export function pendingOf({ points }: Program): Duration | undefined {
  const days = points?.pending?.days ?? 0
  return days === 0 ? undefined : { days }
}

/** The order marked as fulfilled, where points wait for fulfilment. */
export function fulfilled(order: SentOrder, { points }: Program, at: Instant): SentOrder {
  return points?.pending?.after === 'fulfilled' ? { ...order, fulfilledAt: order.at ?? at } : order
}
