/*
 * Why an order earned something other than was predicted: which inputs of the two computations differ.
 */
import { digestsOf } from './digests.ts'
import type { Digests, RecordedOrder } from './model.ts'
import type { Moment, Points } from './units.ts'

/** A kept prediction, with digests of what it was computed from. */
export type PredictedOutcome = Readonly<{
  points: Points
  levelAfter: string
  /** Whether a referral code counted. */
  referred: boolean
  program: number
  /** The order's moment, RFC 3339; undefined where it was not kept. */
  at: Moment | undefined
  digests: Digests
}>

/** A recording of an order as it was when revision `rev` was written. */
export type RecordedOutcome = Readonly<{
  rev: bigint
  points: Points
  levelAfter: string
  referred: boolean
  program: number
  at: Moment
  /** The level points at the order's moment, without the order's own. */
  levelPoints: Points
}>

/**
 * In the order in which they are reported.
 *
 * program      another version of the program held
 * player       other facts of the player: points, orders, place, gender, date of birth
 * price        the catalogue had another price for one of its lines
 * referral     the referral code counted in only one of the two
 * order        the order was recorded in another state, or changed after it was recorded
 * moment       only the order's moment differs, and a condition depends on it or on the player's age
 * not-known    what else could differ was not kept, or has been overwritten
 * unexplained  nothing differs: a bug in Laurel
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
  predicted: Pick<PredictedOutcome, 'points' | 'levelAfter'>,
  outcome: Pick<PredictedOutcome, 'points' | 'levelAfter'>,
): boolean {
  return predicted.points === outcome.points && predicted.levelAfter === outcome.levelAfter
}

/**
 * What differs between a prediction that did not come true and what was recorded: at least one reason, in the order of
 * DEVIATION_REASONS. `recorded` is the order as it is stored now. A reason is an input that differs, not a proof that it mattered.
 *
 * An order in another state has other lines and perhaps another code, so price and referral are not reported beside it; nor is the
 * referral beside another program, which may have none. Source: decision 109
 */
export function deviationReasons(
  predicted: PredictedOutcome,
  outcome: RecordedOutcome,
  recorded: RecordedOrder | undefined,
): readonly DeviationReason[] {
  const digests = digestsAt(outcome, recorded)
  const differs = (name: keyof Digests) => digests[name] !== undefined && digests[name] !== predicted.digests[name]
  const isOther: Partial<Record<DeviationReason, boolean>> = {
    program: predicted.program !== outcome.program,
    player: differs('player'),
    price: differs('prices') && !differs('order'),
    referral: predicted.referred !== outcome.referred && predicted.program === outcome.program && !differs('order'),
    order: differs('order'),
  }
  const reasons = DEVIATION_REASONS.filter((reason) => isOther[reason])
  if (digests.order === undefined) return [...reasons, 'not-known']
  if (reasons.length > 0) return reasons
  if (predicted.at === undefined) return ['not-known']
  return [predicted.at === outcome.at ? 'unexplained' : 'moment']
}

/** Digests of what a recording was computed from, as far as it is still known. */
function digestsAt({ rev, levelPoints }: RecordedOutcome, recorded: RecordedOrder | undefined): Partial<Digests> {
  if (recorded === undefined) return {}
  const { order, facts, first } = recorded
  // The player's facts stay those of the first recording; only the level points are those of the moment (decision 30).
  const digests = digestsOf(order, { ...facts.player, levelPoints }, facts.prices)
  if (rev === recorded.rev) return digests
  return { player: digests.player, ...(rev === 1n ? first : {}) }
}
