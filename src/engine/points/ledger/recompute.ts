/*
 * Recomputes what recorded orders earn from what was recorded of them.
 */
import { withProductAttributes } from '../attributes.ts'
import type { Prediction, RecordedOrder } from '../model.ts'
import { keepingFirstDays, roundsExpiry } from '../pending-and-expiry.ts'
import { predict } from '../predict.ts'
import type { PublishedProgram } from '../program-model.ts'
import { referralCase } from './facts.ts'

/** The part of a recorded order that determines what it earns. */
export type Recorded = Pick<RecordedOrder, 'order' | 'facts'>

/**
 * What a recorded order earns under the program of its first recording. `firstOrderId` is its player's first placed order. The levels
 * in the result are based on the player's facts at the first recording. Errors: UnknownVersion.
 */
export function recompute(
  recorded: Recorded,
  firstOrderId: string | undefined,
  programs: readonly PublishedProgram[],
): Prediction {
  return recomputeUnder(requireProgramVersion(recorded, programs), recorded, firstOrderId)
}

/** What a recorded order earns under another program. */
export function recomputeUnder(
  published: PublishedProgram,
  { order, facts }: Recorded,
  firstOrderId: string | undefined,
): Prediction {
  const seen = withProductAttributes(order, facts, published.program)
  return predict(seen, facts.player, facts.prices, published, {
    levelPoints: facts.player.levelPoints,
    referral: referralCase(order, facts, firstOrderId),
  })
}

/** The version that an order was first recorded under, with the rounding of expiries that it had then. Errors: UnknownVersion. */
export function requireProgramVersion({ facts }: Recorded, programs: readonly PublishedProgram[]): PublishedProgram {
  const published = programs.find(({ version }) => version === facts.program)
  if (published === undefined) throw new UnknownVersion(`program version ${facts.program} is not loaded yet`)
  return facts.roundsFirstDays || !roundsExpiry(published.program) ? published : keepingFirstDays(published)
}

/** An order is recorded under a program version that this process has not loaded yet: another replica has just published it. */
export class UnknownVersion extends Error {}
