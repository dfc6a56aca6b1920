/*
 * The postings that lead from what is recorded of an order to what it earns now.
 */
import type { Order, Prediction, RecordedOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'

/** An entry that is not numbered yet. */
export type Posting = Readonly<{
  userId: string
  kind: 'order' | 'referral'
  points: bigint
  counts: boolean
  at: string
}>

/** The player's postings, then the referrer's. Points follow the order to a new moment (decision 105). */
export function postingsFor(
  { userId, at }: Order,
  recorded: RecordedOrder | undefined,
  { points, referrer }: Prediction,
  { program }: PublishedProgram,
): Posting[] {
  const own = { userId, kind: 'order', counts: true } as const
  const gift = { kind: 'referral', counts: program.referral?.counts ?? false } as const
  const after = { ...own, points, at }
  const givenBefore = recorded?.referrer && { ...gift, ...recorded.referrer, at: recorded.order.at }
  const givenAfter = referrer && { ...gift, userId: referrer.userId, points: referrer.points, at }
  return [
    // A first recording has its entry even if it is 0: it says why.
    ...(recorded === undefined
      ? [after]
      : difference({ ...own, points: recorded.points, at: recorded.order.at }, after)),
    ...difference(givenBefore, givenAfter),
  ]
}

/** One posting where player and moment are the same, else one that takes back and one that gives; none of 0 points. */
function difference(before: Posting | undefined, after: Posting | undefined): Posting[] {
  const isSame = before?.userId === after?.userId && before?.at === after?.at
  const postings =
    isSame && before !== undefined && after !== undefined
      ? [{ ...after, points: after.points - before.points }]
      : [before && { ...before, points: -before.points }, after].filter((posting) => posting !== undefined)
  return postings.filter(({ points }) => points !== 0n)
}
