import { ratio } from './arithmetic.ts'
import type { Earned, NotApplied, Note, Order, Prediction, ReferralCase, ReferralRefusal } from './model.ts'
import type { Referral } from './program-model.ts'

/** The name of the referral's line in an explanation; no rule may bear it. */
export const REFERRAL = 'referral'

/** What is said of a referral that counts and gives its friend nothing. */
export const GIVES_NOTHING = 'it comes to 0 points for this order'

const WHY: Readonly<Record<ReferralRefusal, string>> = {
  'no-code': 'the order carries no referral code',
  'not-first': 'a referral counts on the first order only',
  unknown: 'no other player has this referral code',
  shared: 'several players have this referral code',
}

export type ReferralGiven = Readonly<{
  points: bigint
  earned: readonly Earned[]
  notApplied: readonly NotApplied[]
  notes: readonly Note[]
  referrer?: Prediction['referrer'] & {}
}>

const NOTHING: ReferralGiven = Object.freeze({ points: 0n, earned: [], notApplied: [], notes: [] })

/**
 * What a referral adds to an order, as a line of its own after rounding, and who gets points for it.
 * Whole points. A program without a referral says nothing of it. Source: docs/programs.md.
 */
export function referralOf(order: Order, referral: Referral | undefined, found: ReferralCase): ReferralGiven {
  if (referral === undefined) return NOTHING
  if (order.status !== 'placed')
    return { ...NOTHING, notApplied: [{ rule: REFERRAL, why: `the order is ${order.status}` }] }
  if ('why' in found) {
    const isUnknown = found.why === 'unknown' || found.why === 'shared'
    const text = `${WHY[found.why]}: ${order.referralCode}`
    return {
      ...NOTHING,
      notApplied: [{ rule: REFERRAL, why: WHY[found.why] }],
      notes: isUnknown ? [{ kind: 'unknown-referral-code', text }] : [],
    }
  }
  const { friend, referrer, counts } = referral
  const points = ratio(friend)
  return {
    points: friend,
    earned: friend === 0n ? [] : [{ rule: REFERRAL, points, because: { points } }],
    notApplied: friend === 0n ? [{ rule: REFERRAL, why: GIVES_NOTHING }] : [],
    notes: [],
    referrer: { userId: found.referrerId, points: referrer, counts },
  }
}
