/*
 * Redemptions without an order: holding points, spending them directly, confirming and voiding (decision 140). Pure.
 */
import { momentAfter } from '../local-time.ts'
import { debitOn } from '../lots/movement.ts'
import type { Account, Entry, Redemption } from '../model.ts'
import { termsOfDebit } from '../pending-and-expiry.ts'
import type { PublishedProgram, RedeemRules } from '../program-model.ts'
import { brokenLimit } from '../redeem-rules.ts'
import type { OrderId, Points, UserId } from '../units.ts'
import { accountFitsWire, afterPosting } from './account.ts'
import { type BalanceView, freePoints, type RedeemRefusal, refusalOfDebit, reinstatement } from './debits.ts'
import { isActiveHold, lapsedHoldsBeside } from './holds.ts'
import type { LedgerChange } from './overlay.ts'
import { redemptionKey } from './overlay.ts'
import type { PlayerHistory } from './snapshot.ts'

/** A command. `redeem` names either `points` or a `reward`. */
export type RedeemCommand = Readonly<
  | { act: 'redeem'; id: string; points?: Points; reward?: string; orderId?: OrderId; hold: boolean; reason: string }
  | { act: 'confirm'; id: string; points?: Points }
  | { act: 'void'; id: string; reason: string }
>

/** What a command is decided on. `published` is the version in effect now. */
export type RedeemKnown = Readonly<{
  userId: UserId
  account: Account
  history: PlayerHistory
  published: PublishedProgram
  programs: readonly PublishedProgram[]
  by: string
}> &
  BalanceView

/** Why a command is refused. */
export type CommandRefusal = Readonly<
  | RedeemRefusal
  | { kind: 'other-content' | 'no-reward' | 'no-redemption' | 'too-many-points' | 'more-than-held' }
  | RedemptionStateRefusal
>

/** Every reason, including those for orders. */
export const REDEEM_REFUSALS: readonly CommandRefusal['kind'][] = [
  'not-enough',
  'step',
  'least',
  'at-most',
  'worth',
  'when',
  'no-redeem',
  'hold',
  'other-content',
  'no-reward',
  'no-redemption',
  'too-many-points',
  'more-than-held',
  'used-by-order',
  'is-voided',
  'is-confirmed',
]

/** The state of the redemption does not allow the command. `free` is what could be redeemed now. */
type RedemptionStateRefusal = Readonly<
  ({ kind: 'used-by-order'; orderId: OrderId } | { kind: 'is-voided' | 'is-confirmed' }) & { free: Points }
>

export type RedeemVerdict = Readonly<
  { refused: CommandRefusal } | { done: 'changed' | 'unchanged'; redemption: Redemption; change: LedgerChange }
>

/**
 * What a command changes, or why it is refused. A repeated command changes nothing; one with the same id but different content is refused.
 * Source: decisions 140, 141 and 154
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
  const asked = pointsOf(command, rules)
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
    ? changed(redemption, [], known)
    : changed(redemption, [spending(redemption, -points, known)], known)
}

/** A reward has its own price; other redemptions must follow the program's steps. */
function pointsOf(
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
  const isSame =
    reason === found.reason &&
    reward === found.reward &&
    (orderId === undefined || orderId === found.orderId) &&
    (hold || !isOpen(found)) &&
    (points === undefined || points === found.points || (hold && hasBeenChanged(found, points)))
  return isSame ? unchanged(found) : { refused: { kind: 'other-content' } }
}

/** Whether a hold has been neither confirmed, voided nor used. */
function isOpen({ state }: Redemption): boolean {
  return state === 'held' || state === 'lapsed'
}

/** Whether this may once have been a hold of `held` points: confirmed in part and perhaps voided since, or used by an order, which may redeem more. */
function hasBeenChanged({ state, points }: Redemption, held: Points): boolean {
  return state === 'used' || ((state === 'confirmed' || state === 'voided') && points < held)
}

/** A lapsed hold is treated as a new redemption, as payment gateways may answer late. */
function confirmHold(
  { points }: Extract<RedeemCommand, { act: 'confirm' }>,
  found: Redemption,
  known: RedeemKnown,
): RedeemVerdict {
  const free = freePoints(known.history, known)
  if (found.state === 'voided') return { refused: { kind: 'is-voided', free } }
  if (found.state === 'used') return { refused: { kind: 'used-by-order', orderId: found.orderId!, free } }
  if (found.state === 'confirmed')
    return points === undefined || points === found.points
      ? unchanged(found)
      : { refused: { kind: 'is-confirmed', free } }
  const spent = points ?? found.points
  if (spent > found.points) return { refused: { kind: 'more-than-held' } }
  const step = stepOfPart(found, known)
  if (spent % step !== 0n) return { refused: { kind: 'step', step } }
  const { today, now, published } = known
  const isActive = isActiveHold(found, now)
  const rules = published.program.redeem
  if (!isActive) {
    const overdraft = rules?.overdraft ?? 0n
    const refused = refusalOfDebit(known.history, debitOn(today, spent), known, { overdraft, step: 1n })
    if (refused !== undefined) return { refused }
  }
  const { heldUntil: _, ...rest } = found
  const redemption: Redemption = { ...rest, state: 'confirmed', points: spent, heldOn: isActive ? found.heldOn : today }
  return changed(redemption, [spending(redemption, -spent, known)], known)
}

/** Partial confirmations follow the steps of the hold's own program version, which defines what its points pay. A reward is confirmed whole. */
function stepOfPart({ reward, points, program }: Redemption, { programs }: RedeemKnown): Points {
  if (reward !== undefined) return points
  return programs.find(({ version }) => version === program)?.program.redeem?.step ?? 1n
}

function voidRedemption(
  { reason }: Extract<RedeemCommand, { act: 'void' }>,
  found: Redemption,
  known: RedeemKnown,
): RedeemVerdict {
  if (found.state === 'voided') return unchanged(found)
  if (found.state === 'used')
    return { refused: { kind: 'used-by-order', orderId: found.orderId!, free: freePoints(known.history, known) } }
  const { heldUntil: _, ...rest } = found
  const redemption: Redemption = { ...rest, state: 'voided' }
  if (isOpen(found)) return changed(redemption, [], known)
  const back = { ...spending(found, found.points, known), redemption: { id: found.id, reason } }
  return changed(redemption, [back, ...reinstatedEntries(found, back, known)], known)
}

/** Reinstates the points given back that have expired in the meantime, if the program says so. */
function reinstatedEntries(found: Redemption, back: Omit<Entry, 'seq'>, known: RedeemKnown): Omit<Entry, 'seq'>[] {
  const rules = known.published.program.redeem
  if (rules === undefined) return []
  const { heldOn: day, points: before } = found
  const { movements, redemptions } = known.history
  const without = { movements: [...movements, debitOn(day, -before)], redemptions }
  const given = reinstatement(without, { day, before, after: 0n }, known, rules)
  return given === undefined ? [] : [{ ...back, kind: 'reinstated', ...given }]
}

function spending({ id, heldOn, reason }: Redemption, points: Points, known: RedeemKnown): Omit<Entry, 'seq'> {
  const { userId, now, today, published, by } = known
  const terms = termsOfDebit(published.program, heldOn)
  return {
    ...{ userId, kind: 'redemption', points, counts: false, at: now, day: heldOn, bookedDay: today },
    ...(terms === undefined ? {} : { terms }),
    redemption: { id, reason },
    by,
  }
}

/**
 * The account is written even if nothing is posted, so that concurrent writes conflict. The player's other lapsed holds are marked as permanently
 * lapsed.
 */
function changed(
  redemption: Redemption,
  entries: readonly Omit<Entry, 'seq'>[],
  { userId, account, history, now }: RedeemKnown,
): RedeemVerdict {
  const redemptions = [redemption, ...lapsedHoldsBeside(redemption.id, history, now)]
  const after = entries.reduce(afterPosting, account)
  if (!accountFitsWire(after)) return { refused: { kind: 'too-many-points' } }
  return {
    done: 'changed',
    redemption,
    change: {
      accounts: new Map([[userId, after]]),
      orders: new Map(),
      redemptions: new Map(redemptions.map((one) => [redemptionKey(one), one])),
      entries: entries.map((entry, index) => ({ ...entry, seq: account.entries + BigInt(index) + 1n })),
    },
  }
}

function unchanged(redemption: Redemption): RedeemVerdict {
  return { done: 'unchanged', redemption, change: { accounts: new Map(), orders: new Map(), entries: [] } }
}
