/*
 * Holding points for a while, and spending them at once: a new redemption, or the same one again (decision 139). Pure.
 */
import { momentAfter } from '../local-time.ts'
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
export function redeem(command: RedeemCommand, known: RedeemKnown): RedeemVerdict {
  const found = known.history.redemptions.find(({ id }) => id === command.id)
  if (command.act === 'redeem')
    return found === undefined ? startRedemption(command, known) : repeatedRedemption(command, found)
  if (found === undefined) return { refused: { kind: 'no-redemption' } }
  return command.act === 'confirm' ? confirmHold(command, found, known) : voidRedemption(command, found, known)
}

type NewRedemption = Extract<RedeemCommand, { act: 'redeem' }>

function startRedemption(command: NewRedemption, known: RedeemKnown): RedeemVerdict {
  const { published, userId, now, today, by } = known
  const rules = published.program.redeem
  if (rules === undefined) return { refused: { kind: 'no-redeem' } }
  const asked = resolvePoints(command, rules)
  if ('refused' in asked) return asked
  const { points } = asked
  const redemption: Redemption = {
    ...{ userId, id: command.id, points, program: published.version, heldOn: today, rev: 0n, by, createdAt: now },
    reason: command.reason,
    ...(command.reward === undefined ? {} : { reward: command.reward }),
    ...(command.orderId === undefined ? {} : { orderId: command.orderId }),
    ...(command.hold ? { state: 'held', heldUntil: momentAfter(now, rules.holdMs) } : { state: 'confirmed' }),
  }
  const limits = { ...rules, step: stepOf(command, rules) }
  const refused = refusalOfDebit(known.history, debitOn(today, points), known, limits)
  if (refused !== undefined) return { refused }
  return command.hold
    ? changedRedemption(redemption, [], known)
    : changedRedemption(redemption, [redemptionEntry(redemption, -points, known)], known)
}

/** A reward has its own price; other redemptions must follow the program's steps. */
function resolvePoints(
  { points, reward }: NewRedemption,
  rules: RedeemRules,
): { points: Points } | { refused: CommandRefusal } {
  if (reward !== undefined) {
    const found = rules.rewards.find(({ name }) => name === reward)
    return found === undefined ? { refused: { kind: 'no-reward' } } : { points: found.points }
  }
  const broken = brokenLimit(points!, rules)
  return broken === undefined ? { points: points! } : { refused: broken }
}

function stepOf({ reward }: Pick<Redemption, 'reward'>, { step }: RedeemRules): Points {
  return reward === undefined ? step : 1n
}

function repeatedRedemption(command: NewRedemption, found: Redemption): RedeemVerdict {
  const { points, reward, orderId, hold, reason } = command
  const first = pointsSoFar(found).at(-1)!
  const isSame =
    reason === found.reason &&
    reward === found.reward &&
    (orderId === undefined || orderId === found.orderId) &&
    (hold || !isOpenHold(found)) &&
    (points === undefined || points === first || (hold && hasBeenChanged(found, first, points)))
  return isSame ? unchangedRedemption(found) : { refused: { kind: 'other-content' } }
}

/** Whether this may once have been a hold of `held` points: confirmed in part and perhaps voided since, or used by an order, which may redeem more. */
function hasBeenChanged({ state }: Redemption, first: Points, held: Points): boolean {
  return state === 'used' || ((state === 'confirmed' || state === 'voided') && first < held)
}
