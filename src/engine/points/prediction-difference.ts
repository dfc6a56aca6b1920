/*
 * Why an order earned something other than predicted: which inputs of the two computations differ.
 */
import { digestsOf, playerDigest } from './digests.ts'
import type { Digests, RecordedOrder } from './model.ts'
import type { Instant, Points } from './units.ts'

/** A kept prediction, with digests of what it was computed from. */
export type PredictedOutcome = Readonly<{
  points: Points
  levelAfter: string
  /** Whether a referral code counted. */
  referred: boolean
  program: number
  /** The order's moment, RFC 3339; undefined where it was not kept. */
  at: Instant | undefined
  digests: Digests
}>

/** What the first recording of an order came to. */
export type RecordedOutcome = Readonly<{
  points: Points
  levelAfter: string
  referred: boolean
  program: number
  at: Instant
  /** The player's level points at the order's moment, excluding the order's own. */
  levelPoints: Points
}>

/**
 * In the order in which they are reported.
 *
 * program      a different version of the program was in effect
 * player       the player's facts differed: points, orders, place, gender, date of birth
 * price        the catalogue had a different price for one of the lines
 * referral     the referral code counted in only one of the two
 * order        the order was recorded in a different state, or changed after it was recorded
 * moment       only the order's moment differs, and a condition depends on it or on the player's age
 * not-known    the other inputs were not kept, or have been overwritten
 * unexplained  nothing differs: a bug in Laurel
 */
export const DIFFERENCE_REASONS = [
  'program',
  'player',
  'price',
  'referral',
  'order',
  'moment',
  'not-known',
  'unexplained',
] as const

export type DifferenceReason = (typeof DIFFERENCE_REASONS)[number]

/** Whether a prediction matches what was recorded, in points and level. */
export function cameTrue(
  predicted: Pick<PredictedOutcome, 'points' | 'levelAfter'>,
  outcome: Pick<PredictedOutcome, 'points' | 'levelAfter'>,
): boolean {
  return predicted.points === outcome.points && predicted.levelAfter === outcome.levelAfter
}

/**
 * Why a prediction that did not come true differs from what was recorded: at least one reason, in the order of DIFFERENCE_REASONS.
 * `recorded` is the order as it is stored now. A reason names an input that differs; it does not prove that the input mattered.
 *
 * An order in a different state has different lines and perhaps a different code, so price and referral are not reported alongside
 * `order`. Nor is the referral reported alongside `program`, as the other program may have none. Source: decision 104
 */
export function findDifferenceReasons(
  predicted: PredictedOutcome,
  outcome: RecordedOutcome,
  recorded: RecordedOrder | undefined,
): readonly DifferenceReason[] {
  const digests = digestsAtFirst(outcome, recorded)
  const differs = (name: keyof Digests) => digests[name] !== undefined && digests[name] !== predicted.digests[name]
  const isOther: Partial<Record<DifferenceReason, boolean>> = {
    program: predicted.program !== outcome.program,
    player: differs('player') && digests.playerWithoutBalance !== predicted.digests.player,
    price: differs('prices') && !differs('order'),
    referral: predicted.referred !== outcome.referred && predicted.program === outcome.program && !differs('order'),
    order: differs('order'),
  }
  const reasons = DIFFERENCE_REASONS.filter((reason) => isOther[reason])
  if (digests.order === undefined) return [...reasons, 'not-known']
  if (reasons.length > 0) return reasons
  if (predicted.at === undefined) return ['not-known']
  return [predicted.at === outcome.at ? 'unexplained' : 'moment']
}

/** Digests of what the first recording was computed from, as far as that is still known. */
function digestsAtFirst({ levelPoints }: RecordedOutcome, recorded: RecordedOrder | undefined): RecordedDigests {
  if (recorded === undefined) return {}
  const { order, facts, first, rev } = recorded
  // Facts of the player are kept from the first recording; only the level points are as of the order's moment (decision 30).
  const player = { ...facts.player, levelPoints }
  const { points: _, ...withoutBalance } = player
  const playerWithoutBalance = playerDigest(withoutBalance)
  const digests = { ...digestsOf(order, player, facts.prices, facts.attributes), playerWithoutBalance }
  return rev === 1n ? digests : { player: digests.player, playerWithoutBalance, ...first }
}

/** A prediction is computed without the balance where no condition reads it. */
type RecordedDigests = Partial<Digests> & Readonly<{ playerWithoutBalance?: string }>
