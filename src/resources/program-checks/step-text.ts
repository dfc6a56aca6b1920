/*
 * Describes steps of test cases in words.
 */
import type { OrderRefusal } from '../../engine/points/ledger/evaluate-order.ts'
import type { CommandRefusal } from '../../engine/points/ledger/redemptions.ts'
import { pointsWord } from '../../engine/points/message.ts'
import type { Redemption } from '../../engine/points/model.ts'
import type { HistoryStep, OrderStep, RedeemStep } from '../../engine/whatif/replay.ts'
import { describeRefusal } from '../../ledger/order-refusals.ts'
import { redemptionError } from '../../ledger/redemption-error.ts'

/** The order or redemption that a step is about. */
export function nameOfStep(step: HistoryStep): Readonly<{ kind: 'order' | 'redemption'; id: string; userId: string }> {
  return 'order' in step
    ? { kind: 'order', id: step.order.id, userId: step.order.userId }
    : { kind: 'redemption', id: step.redeem.id, userId: step.userId }
}

/** A sentence that says why a step was refused. */
export function describeStepRefusal(
  step: (OrderStep & Readonly<{ refused: OrderRefusal }>) | (RedeemStep & Readonly<{ refused: CommandRefusal }>),
): string {
  return 'order' in step
    ? describeRefusal(step.order, step.refused).error
    : redemptionError(step.redeem, step.refused).message
}

/** The state of a redemption: `500 points held`. */
export function redemptionText({ points, state, reward }: Pick<Redemption, 'points' | 'state' | 'reward'>): string {
  const what = `${pointsWord(points)} ${STATES[state]}`
  return reward === undefined ? what : `${what} for ${reward}`
}

const STATES = {
  held: 'held',
  lapsed: 'held, since lapsed',
  confirmed: 'spent',
  used: 'spent by an order',
  voided: 'refunded',
} as const
