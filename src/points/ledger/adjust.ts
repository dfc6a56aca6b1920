/*
 * Adjustments: points that no order earned, such as corrections, gifts and opening balances.
 */

import type { Account, Entry, Terms } from '../model.ts'
import type { Program } from '../program-model.ts'
import { termsOfAdjustment } from '../terms.ts'
import type { Day, Moment, Points, UserId } from '../units.ts'
import { accountFitsWire, afterPosting } from './account.ts'
import type { Lookup } from './snapshot.ts'

/** A change of a player's points. The client's `id` makes it idempotent. Days that it does not name follow from the program (decision 138). */
export type Adjustment = Readonly<{
  id: string
  userId: UserId
  points: Points
  counts: boolean
  reason: string
  usableOn?: Day | undefined
  expiresOn?: Day | undefined
}>

/** What is stored: accounts of all known players in question, and entries of adjustments made before, by `adjustmentKey`. */
export type KnownAdjustments = Readonly<{ accounts: Lookup<Account>; made: Lookup<Entry> }>

export function adjustmentKey(userId: UserId, id: string): string {
  return JSON.stringify([userId, id])
}

/** Why an adjustment is not made. */
export type AdjustmentRefusal =
  | 'unknown-player'
  | 'other-content'
  /** It names days, and no version of the program counts them. */
  | 'no-days'
  /** It names days, and takes points away. */
  | 'days-of-a-debit'
  | 'ends-before-it-begins'
  /** JSON could not carry the account exactly (decision 34). */
  | 'too-many-points'

export type AdjustmentVerdict = Readonly<{ refused: AdjustmentRefusal } | { done: 'inserted' | 'unchanged' }>

/**
 * When adjustments are made: the moment, and its local day (decision 80). `program` is the one that holds then, absent where no version counts
 * days. `by` is the id of the caller's token.
 */
export type Booking = Readonly<{ at: Moment; day: Day; program?: Pick<Program, 'points'>; by?: string }>

/**
 * Makes adjustments one after the other, each id of a player once: repeated it changes nothing, with other content it is refused.
 * Answers a verdict for each, in the order sent; the accounts that changed; and the new entries.
 */
export function adjust(
  adjustments: readonly Adjustment[],
  known: KnownAdjustments,
  booking: Booking,
): { verdicts: AdjustmentVerdict[]; accounts: Map<string, Account>; entries: Entry[] } {
  const accounts = new Map<string, Account>()
  const entries: Entry[] = []
  const made = new Map<string, Entry>()
  const { at, day, by } = booking
  const verdicts = adjustments.map((adjustment): AdjustmentVerdict => {
    const { id, userId, points, counts, reason } = adjustment
    const before = accounts.get(userId) ?? known.accounts.get(userId)
    if (before === undefined) return { refused: 'unknown-player' }
    const key = adjustmentKey(userId, id)
    const earlier = made.get(key) ?? known.made.get(key)
    if (earlier !== undefined) {
      return isSame(adjustment, earlier) ? { done: 'unchanged' } : { refused: 'other-content' }
    }
    const found = findTerms(adjustment, booking)
    if ('refused' in found) return found
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
      ...found,
      adjustment: { id, reason },
      ...(by === undefined ? {} : { by }),
    }
    accounts.set(userId, after)
    entries.push(entry)
    made.set(key, entry)
    return { done: 'inserted' }
  })
  return { verdicts, accounts, entries }
}

/** Days that are not named are not compared: they followed from the program of another day. */
function isSame({ points, counts, reason, usableOn, expiresOn }: Adjustment, earlier: Entry): boolean {
  const { terms } = earlier
  return (
    earlier.points === points &&
    earlier.counts === counts &&
    earlier.adjustment?.reason === reason &&
    (usableOn === undefined || usableOn === terms?.usableOn) &&
    (expiresOn === undefined || expiresOn === terms?.expiresOn)
  )
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
  // What is taken away has no days of its own; it keeps others alive where they slide.
  return terms === undefined || (points < 0n && !terms.slides) ? {} : { terms }
}
