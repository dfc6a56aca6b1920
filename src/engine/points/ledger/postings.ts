/*
 * The postings that move the ledger from the recorded state of an order to what the order earns now.
 */
import { localDay } from '../local-time.ts'
import type { Order, Prediction, RecordedOrder, Terms } from '../model.ts'
import { areSameTerms, computePointTerms } from '../pending-and-expiry.ts'
import type { Program, PublishedProgram } from '../program-model.ts'
import type { Instant, PlainDate, Points, UserId } from '../units.ts'

/** An entry that has not been numbered yet. */
export type Posting = Readonly<{
  userId: UserId
  kind: 'order' | 'referral' | 'redemption' | 'reinstated'
  points: Points
  counts: boolean
  at: Instant
  terms?: Terms
  /** The day that spending draws on, where it differs from the day of `at`. */
  day?: PlainDate
  redemptionId?: string
}>

export function dayOfPosting(
  { day, at }: Pick<Posting, 'day' | 'at'>,
  { timeZone }: Pick<Program, 'timeZone'>,
): PlainDate {
  return day ?? localDay(at, timeZone)
}

/**
 * The player's postings, then the referrer's. Points follow an order to its new moment (decision 105) and terms (decision 138). A revision always posts
 * to its player, 0 points if nothing differs: that entry says what happened, and carries the explanation (decision 81).
 */
export function postingsFor(
  order: Order,
  recorded: RecordedOrder | undefined,
  { points, referrer, terms }: Prediction,
  { program }: PublishedProgram,
): Posting[] {
  const { userId } = order
  const orderPosting = { userId, kind: 'order', counts: true } as const
  const gift = { kind: 'referral', counts: program.referral?.counts === true } as const
  const when = timesOf(order, terms)
  const whenBefore = recorded && timesOf(recorded.order, computePointTerms(program, recorded.order))
  const after = { ...orderPosting, points, ...when }
  const giftBefore = recorded?.referrer && { ...gift, ...recorded.referrer, ...whenBefore! }
  const giftAfter = referrer && { ...gift, userId: referrer.userId, points: referrer.points, ...when }
  const before = recorded && { ...orderPosting, points: recorded.points, ...whenBefore! }
  const changed = difference(before, after)
  return [...(changed.length > 0 ? changed : [{ ...after, points: 0n }]), ...difference(giftBefore, giftAfter)]
}

function timesOf({ at }: Order, terms: Terms | undefined): Pick<Posting, 'at' | 'terms'> {
  return { at, ...(terms === undefined ? {} : { terms }) }
}

/** A single posting if player, moment and terms stay the same, else a reversal and a new posting; none of 0 points. */
function difference(before: Posting | undefined, after: Posting | undefined): Posting[] {
  const isInPlace =
    before !== undefined &&
    after !== undefined &&
    before.userId === after.userId &&
    before.at === after.at &&
    areSameTerms(before.terms, after.terms)
  const postings = isInPlace
    ? [{ ...after, points: after.points - before.points }]
    : [before && { ...before, points: -before.points }, after].filter((posting) => posting !== undefined)
  return postings.filter(({ points }) => points !== 0n)
}
