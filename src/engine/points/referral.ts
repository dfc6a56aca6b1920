import { ratio } from './arithmetic.ts'
import type {
  Earned,
  NotApplied,
  Note,
  Order,
  Prediction,
  ReferralCase,
  ReferralNotApplied,
  ReferralRefusal,
} from './model.ts'
import type { Referral } from './program-model.ts'
import type { Points } from './units.ts'

/** The name of the referral's line in an explanation; no rule may use it. */
export const REFERRAL = 'referral'

/** Why a player who has left the program earns nothing. */
export const NOT_PARTICIPATING = 'the player does not participate'

const REFERRER_LEFT: Note = {
  kind: 'not-participating',
  text: 'the referrer does not participate: no points for the referrer',
}

const REFUSED: Readonly<Record<ReferralRefusal, NotApplied>> = {
  'no-code': notApplied('no-code', 'the order carries no referral code'),
  'not-first': notApplied('not-first', 'a referral counts on the first order only'),
  unknown: notApplied('unknown-code', 'no other player has this referral code'),
  shared: notApplied('shared-code', 'several players have this referral code'),
  'not-participating': notApplied('not-participating', NOT_PARTICIPATING),
}

const GIVES_NOTHING = notApplied('gives-nothing', 'it comes to 0 points for this order')

/** What a referral adds to an order: whole points, lines of the explanation, and the referrer's credit. */
export type ReferralResult = Readonly<{
  points: Points
  earned: readonly Earned[]
  notApplied: readonly NotApplied[]
  notes: readonly Note[]
  referrer?: Prediction['referrer'] & {}
}>

const NOTHING: ReferralResult = Object.freeze({ points: 0n, earned: [], notApplied: [], notes: [] })

/** Evaluates the referral of an order. It is added after rounding, as a line of its own in the explanation, if the program has a referral. */
export function evaluateReferral(
  order: Order,
  referral: Referral | undefined,
  referralCase: ReferralCase,
): ReferralResult {
  if (referral === undefined) return NOTHING
  if (order.status !== 'placed')
    return { ...NOTHING, notApplied: [notApplied('not-placed', `the order is ${order.status}`)] }
  if ('why' in referralCase) {
    const refused = REFUSED[referralCase.why]
    const isNoted = referralCase.why === 'unknown' || referralCase.why === 'shared'
    return {
      ...NOTHING,
      notApplied: [refused],
      notes: isNoted ? [{ kind: 'unknown-referral-code', text: `${refused.why}: ${order.referralCode}` }] : [],
    }
  }
  const { friend, referrer, counts } = referral
  const points = ratio(friend)
  return {
    points: friend,
    earned: friend === 0n ? [] : [{ rule: REFERRAL, points, because: { points } }],
    notApplied: friend === 0n ? [GIVES_NOTHING] : [],
    notes: referralCase.participates === false ? [REFERRER_LEFT] : [],
    referrer: { userId: referralCase.referrerId, points: referralCase.participates === false ? 0n : referrer, counts },
  }
}

function notApplied(kind: ReferralNotApplied, why: string): NotApplied {
  return { rule: REFERRAL, kind, why }
}
