/*
 * What recorded orders earn, computed anew.
 */
import type { Prediction, RecordedOrder } from '../model.ts'
import { predict } from '../predict.ts'
import type { PublishedProgram } from '../program-model.ts'
import { referralCase } from './facts.ts'

/** What of a recorded order says what it earns. */
export type Recorded = Pick<RecordedOrder, 'order' | 'facts'>

/**
 * What a recorded order earns, computed anew from its state and its facts; `firstOrderId` is its player's. The levels in the answer are
 * those of its first recording. Errors: UnknownVersion.
 */
export function recompute(
  recorded: Recorded,
  firstOrderId: string | undefined,
  programs: readonly PublishedProgram[],
): Prediction {
  return recomputeUnder(versionOf(recorded, programs), recorded, firstOrderId)
}

/** The same under any program. */
export function recomputeUnder(
  published: PublishedProgram,
  { order, facts }: Recorded,
  firstOrderId: string | undefined,
): Prediction {
  return predict(order, facts.player, facts.prices, published, {
    levelPoints: facts.player.levelPoints,
    referral: referralCase(order, facts, firstOrderId),
  })
}

/** The version that an order was first recorded under. Errors: UnknownVersion. */
export function versionOf({ facts }: Recorded, programs: readonly PublishedProgram[]): PublishedProgram {
  const published = programs.find(({ version }) => version === facts.program)
  if (published === undefined) throw new UnknownVersion(`program version ${facts.program} is not known here yet`)
  return published
}

/** The program that an order was first recorded under is not known here: another replica has just published it. */
export class UnknownVersion extends Error {}
