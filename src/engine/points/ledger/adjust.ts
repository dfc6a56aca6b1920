/*
 * Adjustments: points that no order earned, such as corrections, gifts and opening balances.
 */

import type { Account, Entry, Terms } from '../model.ts'
import { termsOfAdjustment } from '../pending-and-expiry.ts'
import type { Program } from '../program-model.ts'
import type { Instant, PlainDate, Points, UserId } from '../units.ts'
import { accountFitsWire, afterPosting } from './account.ts'
import { adjustmentKey, createPendingLedger, layeredLookup, type PendingLedger } from './pending-ledger.ts'
import type { Lookup } from './snapshot.ts'

/** A change to a player's points. The client's `id` makes it idempotent. Days that it does not name follow from the program (decision 138). */
export type Adjustment = Readonly<{
  id: string
  userId: UserId
  points: Points
  counts: boolean
  reason: string
  usableOn?: PlainDate | undefined
  expiresOn?: PlainDate | undefined
}>

/** What is stored: the accounts of the players concerned, and the entries of earlier adjustments, by `adjustmentKey`. */
export type KnownAdjustments = Readonly<{
  accounts: Lookup<Account>
  made: Lookup<Entry>
  /** Players who were erased (decision 216); absent: none. */
  erased?: Pick<ReadonlySet<UserId>, 'has'>
}>

/** What is known once these changes are written as well. */
export function withPendingAdjustments(
  { accounts, made, ...rest }: KnownAdjustments,
  pending: PendingLedger,
): KnownAdjustments {
  return {
    ...rest,
    accounts: layeredLookup(pending.accounts, accounts),
    made: layeredLookup(pending.adjustments, made),
  }
}

/** Why an adjustment is refused. */
export type AdjustmentRefusal =
  | 'unknown-player'
  | 'erased'
  | 'other-content'
  /** It names days, but no version of the program has pending periods, expiry or redemption. */
  | 'no-days'
  /** It names days, but takes points away. */
  | 'days-of-a-debit'
  | 'ends-before-it-begins'
  /** JSON could no longer carry the account exactly (decision 20). */
  | 'too-many-points'

type AdjustmentDone = Readonly<{ done: 'inserted' | 'unchanged' }>

export type AdjustmentVerdict = Readonly<{ refused: AdjustmentRefusal }> | AdjustmentDone

/**
 * When adjustments are made: the moment, and its local day (decision 80). `program` is the one in effect then; absent where no version has pending
 * periods, expiry or redemption. `by` is the id of the caller's token.
 */
export type Booking = Readonly<{ at: Instant; day: PlainDate; program?: Pick<Program, 'points'>; by?: string }>

/**
 * Makes adjustments one after the other. An id takes effect once per player: repeated, it changes nothing; with different content, it is refused.
 * Returns a verdict for each, in the order sent; the changed accounts; and the new entries.
 */
export function adjust(
  adjustments: readonly Adjustment[],
  stored: KnownAdjustments,
  booking: Booking,
): { verdicts: AdjustmentVerdict[]; accounts: Map<string, Account>; entries: Entry[] } {
  const pending = createPendingLedger()
  const { accounts, made } = withPendingAdjustments(stored, pending)
  const isErased = (userId: UserId) => stored.erased?.has(userId) === true
  const entries: Entry[] = []
  const { at, day, by } = booking
  const verdicts = adjustments.map((adjustment): AdjustmentVerdict => {
    const { id, userId, points, counts, reason } = adjustment
    const before = accounts.get(userId)
    if (before === undefined) return { refused: 'unknown-player' }
    const key = adjustmentKey(userId, id)
    const earlier = made.get(key)
    if (earlier !== undefined) {
      // The reason was erased with the player.
      return isErased(userId) || isSame(adjustment, earlier) ? { done: 'unchanged' } : { refused: 'other-content' }
    }
    if (isErased(userId)) return { refused: 'erased' }
    const terms = findTerms(adjustment, booking)
    if ('refused' in terms) return terms
    const after = afterPosting(before, { points, counts })
    if (!accountFitsWire(after)) return { refused: 'too-many-points' }
    const entry: Entry = {
      userId,
      seq: after.entries,
      kind: 'adjustment',
      points,
      counts,
      at,
      day,
      bookedDay: day,
      ...terms,
      adjustment: { id, reason },
      ...(by === undefined ? {} : { by }),
    }
    pending.accounts.set(userId, after)
    pending.adjustments.set(key, entry)
    entries.push(entry)
    return { done: 'inserted' }
  })
  return { verdicts, accounts: pending.accounts, entries }
}

/** Days that are not named are not compared: the recorded ones followed from the program in effect at the time. */
function isSame({ points, counts, reason, usableOn, expiresOn }: Adjustment, earlier: Entry): boolean {
  const { terms } = earlier
  return (
    earlier.adjustment?.undone !== true &&
    earlier.points === points &&
    earlier.counts === counts &&
    earlier.adjustment?.reason === reason &&
    (usableOn === undefined || usableOn === terms?.usableOn) &&
    (expiresOn === undefined || expiresOn === terms?.expiresOn)
  )
}

/** Which adjustment of a player to undo, and why. */
export type Undoing = Readonly<{ userId: UserId; id: string; reason: string }>

export type UndoingVerdict = Readonly<
  | { refused: 'unknown-player' | 'erased' | 'unknown-adjustment' | 'is-undoing' | 'id-taken' | 'too-many-points' }
  | AdjustmentDone
>

/** The id of the entry that undoes an adjustment; there is at most one. */
export function undoingId(id: string): string {
  return `undo:${id}`
}

/**
 * Undoes an adjustment by posting a reversing entry with the same day and terms, as if the points had never been given or taken away. Repeated, it
 * changes nothing.
 */
export function undo(
  { userId, id, reason }: Undoing,
  stored: KnownAdjustments,
  { day, by }: Booking,
): { verdict: UndoingVerdict; accounts: Map<string, Account>; entries: Entry[] } {
  const none = { accounts: new Map<string, Account>(), entries: [] }
  const before = stored.accounts.get(userId)
  if (before === undefined) return { ...none, verdict: { refused: 'unknown-player' } }
  const made = stored.made.get(adjustmentKey(userId, id))
  if (made === undefined) return { ...none, verdict: { refused: 'unknown-adjustment' } }
  if (made.adjustment?.undone) return { ...none, verdict: { refused: 'is-undoing' } }
  const undone = stored.made.get(adjustmentKey(userId, undoingId(id)))
  if (undone !== undefined)
    return { ...none, verdict: undone.adjustment?.undone ? { done: 'unchanged' } : { refused: 'id-taken' } }
  if (stored.erased?.has(userId)) return { ...none, verdict: { refused: 'erased' } }
  const points = -made.points
  const after = afterPosting(before, { points, counts: made.counts })
  if (!accountFitsWire(after)) return { ...none, verdict: { refused: 'too-many-points' } }
  const { by: _, ...same } = made
  const adjustment = { id: undoingId(id), reason, undone: true } as const
  const entry = { ...same, seq: after.entries, points, bookedDay: day, adjustment, ...(by === undefined ? {} : { by }) }
  return { verdict: { done: 'inserted' }, accounts: new Map([[userId, after]]), entries: [entry] }
}

function findTerms(
  { points, usableOn, expiresOn }: Adjustment,
  { day, program }: Booking,
): { refused: AdjustmentRefusal } | { terms?: Terms } {
  const isNamed = usableOn !== undefined || expiresOn !== undefined
  if (program === undefined) return isNamed ? { refused: 'no-days' } : {}
  if (isNamed && points < 0n) return { refused: 'days-of-a-debit' }
  const terms = termsOfAdjustment(program, day, { usableOn, expiresOn })
  if (terms !== undefined && terms.expiresOn <= terms.usableOn) return { refused: 'ends-before-it-begins' }
  // A debit has no days of its own, but it extends sliding expiries.
  return terms === undefined || (points < 0n && !terms.slides) ? {} : { terms }
}
