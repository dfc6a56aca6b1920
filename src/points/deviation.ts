/*
 * Why an order came to something else than was predicted: which of the things that both were computed from differ.
 */
import { digestsOf } from './digests.ts'
import type { Digests, RecordedOrder } from './model.ts'

/** What an order was told before it was recorded, and digests of what that was computed from. */
export type PredictedOutcome = Readonly<{
  points: bigint
  levelAfter: string
  /** Whether a referral code counted. */
  referred: boolean
  program: number
  /** The order's moment, RFC 3339; undefined where it was not kept. */
  at: string | undefined
  digests: Digests
}>

/** What recording an order came to: its revision `rev`, as it was then. */
export type RecordedOutcome = Readonly<{
  rev: bigint
  points: bigint
  levelAfter: string
  referred: boolean
  program: number
  at: string
  /** The points that counted at the order's moment, without the order's own. */
  levelPoints: bigint
}>

/**
 * In the order in which they are told.
 *
 * program      another version of the program held
 * player       other facts of the player: points, orders, place, gender, date of birth
 * price        the catalogue had another price for one of its lines
 * referral     the referral code counted in one of both only
 * order        the order was recorded in another state, or changed after it was recorded
 * moment       nothing else differs, and the order's moment does: a condition that asks for it, or for the age, changed its mind
 * not-known    what could differ besides was not kept, or has been overwritten
 * unexplained  nothing differs: a fault of ours
 */
export const DEVIATION_REASONS = [
  'program',
  'player',
  'price',
  'referral',
  'order',
  'moment',
  'not-known',
  'unexplained',
] as const

export type DeviationReason = (typeof DEVIATION_REASONS)[number]

/** Whether a prediction is what was recorded: points and level. */
export function cameTrue(
  told: Pick<PredictedOutcome, 'points' | 'levelAfter'>,
  outcome: Pick<PredictedOutcome, 'points' | 'levelAfter'>,
) {
  return told.points === outcome.points && told.levelAfter === outcome.levelAfter
}

/**
 * What differs between a prediction and what was recorded, where that came out otherwise: at least one reason, in the order of REASONS.
 * `recorded` is the order as it is stored now. Each is a part that differs, not a proof that it made the difference.
 *
 * An order in another state has other lines and another code: price and referral are not told beside it; nor is the referral beside
 * another program, which may know none. Source: decision 109
 */
export function deviationReasons(
  told: PredictedOutcome,
  outcome: RecordedOutcome,
  recorded: RecordedOrder | undefined,
): readonly DeviationReason[] {
  const differs = (name: keyof Digests) => digests[name] !== undefined && digests[name] !== told.digests[name]
  const digests = digestsAt(outcome, recorded)
  const isOther = {
    program: told.program !== outcome.program,
    player: differs('player'),
    price: differs('prices') && !differs('order'),
    referral: told.referred !== outcome.referred && told.program === outcome.program && !differs('order'),
    order: differs('order'),
  }
  const parts: DeviationReason[] = DEVIATION_REASONS.filter((reason) => isOther[reason as keyof typeof isOther])
  if (digests.order === undefined) return [...parts, 'not-known']
  if (parts.length > 0) return parts
  if (told.at === undefined) return ['not-known']
  return [told.at === outcome.at ? 'unexplained' : 'moment']
}

/** What a recording was computed from, as far as it is still known. */
function digestsAt({ rev, levelPoints }: RecordedOutcome, recorded: RecordedOrder | undefined): Partial<Digests> {
  if (recorded === undefined) return {}
  const { order, facts, first } = recorded
  // The facts of a player stay those of the first recording; what counts for their level goes on (decision 30).
  const digests = digestsOf(order, { ...facts.player, levelPoints }, facts.prices)
  if (rev === recorded.rev) return digests
  return { player: digests.player, ...(rev === 1n ? first : {}) }
}
