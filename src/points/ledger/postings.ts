/*
 * The postings that take the ledger from what is recorded of an order to what the order earns now.
 */
import type { Order, Prediction, RecordedOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { Moment, Points, UserId } from '../units.ts'

/** An entry without its number. */
export type Posting = Readonly<{
  userId: UserId
  kind: 'order' | 'referral'
  points: Points
  counts: boolean
  at: Moment
}>

/**
 * The player's postings, then the referrer's. Points follow an order to its new moment (decision 105). A revision posts to its player even
 * where nothing differs: that entry says what happened, and carries the explanation (decision 81).
 */
export function postingsFor(
  { userId, at }: Order,
  recorded: RecordedOrder | undefined,
  { points, referrer }: Prediction,
  { program }: PublishedProgram,
): Posting[] {
  const own = { userId, kind: 'order', counts: true } as const
  const gift = { kind: 'referral', counts: program.referral?.counts === true } as const
  const after = { ...own, points, at }
  const giftBefore = recorded?.referrer && { ...gift, ...recorded.referrer, at: recorded.order.at }
  const giftAfter = referrer && { ...gift, userId: referrer.userId, points: referrer.points, at }
  const before = recorded && { ...own, points: recorded.points, at: recorded.order.at }
  const changed = difference(before, after)
  return [...(changed.length > 0 ? changed : [{ ...after, points: 0n }]), ...difference(giftBefore, giftAfter)]
}

/** One posting where player and moment stay the same, else a reversal and a new posting; none of 0 points. */
function difference(before: Posting | undefined, after: Posting | undefined): Posting[] {
  const isInPlace =
    before !== undefined && after !== undefined && before.userId === after.userId && before.at === after.at
  const postings = isInPlace
    ? [{ ...after, points: after.points - before.points }]
    : [before && { ...before, points: -before.points }, after].filter((posting) => posting !== undefined)
  return postings.filter(({ points }) => points !== 0n)
}
