/*
 * Holding points for a while, and spending them at once: a new redemption, or the same one again (decision 139). Pure.
 */
import { instantAfter } from '../local-time.ts'
import { debitOn } from '../lots/movement.ts'
import type { Redemption } from '../model.ts'
import type { RedeemRules } from '../program-model.ts'
import { brokenLimit } from '../redeem-rules.ts'
import type { Points } from '../units.ts'
import { confirmHold, voidRedemption } from './confirm-or-void.ts'
import { refusalOfDebit } from './debits.ts'
import {
  type CommandRefusal,
  changedRedemption,
  isOpenHold,
  pointsSoFar,
  type RedeemCommand,
  type RedeemKnown,
  type RedeemVerdict,
  redemptionEntry,
  unchangedRedemption,
} from './redemptions.ts'

/**
 * What a command changes, or why it is refused. A repeated command changes nothing; one with the same id but different content is refused.
 * Source: decisions 139 and 154
 */
export function redeem(command: RedeemCommand, context: RedeemKnown): RedeemVerdict {
  const stored = context.history.redemptions.find(({ id }) => id === command.id)
  if (command.act === 'redeem')
    return stored === undefined ? startRedemption(command, context) : repeatedRedemption(command, stored)
  if (stored === undefined) return { refused: { kind: 'no-redemption' } }
  return command.act === 'confirm' ? confirmHold(command, stored, context) : voidRedemption(command, stored, context)
}

type NewRedemption = Extract<RedeemCommand, { act: 'redeem' }>

function startRedemption(command: NewRedemption, context: RedeemKnown): RedeemVerdict {
  const { published, userId, now, today, by } = context
  const rules = published.program.redeem
  if (rules === undefined) return { refused: { kind: 'no-redeem' } }
  const resolved = resolvePoints(command, rules)
  if ('refused' in resolved) return resolved
  const { points } = resolved
  const redemption: Redemption = {
    ...{ userId, id: command.id, points, program: published.version, heldOn: today, rev: 0n, by, createdAt: now },
    reason: command.reason,
    ...(command.reward === undefined ? {} : { reward: command.reward }),
    ...(command.orderId === undefined ? {} : { orderId: command.orderId }),
    ...(command.hold ? { state: 'held', heldUntil: instantAfter(now, rules.holdMs) } : { state: 'confirmed' }),
  }
  const limits = { ...rules, step: stepOf(command, rules) }
  const refused = refusalOfDebit(context.history, debitOn(today, points), context, limits)
  if (refused !== undefined) return { refused }
  return command.hold
    ? changedRedemption(redemption, [], context)
    : changedRedemption(redemption, [redemptionEntry(redemption, -points, context)], context)
}

/** A reward has its own price; other redemptions must follow the program's steps. */
function resolvePoints(
  { points, reward }: NewRedemption,
  rules: RedeemRules,
): { points: Points } | { refused: CommandRefusal } {
  if (reward !== undefined) {
    const offered = rules.rewards.find(({ name }) => name === reward)
    return offered === undefined ? { refused: { kind: 'no-reward' } } : { points: offered.points }
  }
  const broken = brokenLimit(points!, rules)
  return broken === undefined ? { points: points! } : { refused: broken }
}

function stepOf({ reward }: Pick<Redemption, 'reward'>, { step }: RedeemRules): Points {
  return reward === undefined ? step : 1n
}

function repeatedRedemption(command: NewRedemption, stored: Redemption): RedeemVerdict {
  const { points, reward, orderId, hold, reason } = command
  const first = pointsSoFar(stored).at(-1)!
  const isSame =
    reason === stored.reason &&
    reward === stored.reward &&
    (orderId === undefined || orderId === stored.orderId) &&
    (hold || !isOpenHold(stored)) &&
    (points === undefined || points === first || (hold && hasBeenChanged(stored, first, points)))
  return isSame ? unchangedRedemption(stored) : { refused: { kind: 'other-content' } }
}

/** Whether this may once have been a hold of `held` points: confirmed in part and perhaps voided since, or used by an order, which may redeem more. */
function hasBeenChanged({ state }: Redemption, first: Points, held: Points): boolean {
  return state === 'used' || ((state === 'confirmed' || state === 'voided') && first < held)
}
