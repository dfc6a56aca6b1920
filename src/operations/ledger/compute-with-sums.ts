import assert from 'node:assert/strict'
import { Unavailable } from '../../errors.ts'
import { UnknownVersion } from '../../points/ledger/recompute.ts'
import type { Snapshot, WindowQuestion } from '../../points/ledger/snapshot.ts'

/** How window sums are asked for. */
export type WindowSums = Readonly<{
  /** The points that count in each window, by `windowKey`. */
  ask: (questions: readonly WindowQuestion[]) => Promise<ReadonlyMap<string, bigint>>
  /** How often `ask` may be called. */
  roundsMax: number
  /** In milliseconds of `performance.now()`. */
  deadlineAt: number
}>

/**
 * Computes from a snapshot. Which windows of a player's entries are needed shows only while computing, so it is done again with their sums,
 * until none is missing: no round where levels count for a lifetime, mostly one where they have a window. As a round settles at least the
 * first order that lacked a sum, there are never more rounds than orders.
 *
 * Errors: Unavailable after `deadlineAt`, and while this process does not know yet the program that an order is recorded under.
 */
export async function computeWithSums<Outcome extends { readonly missing: readonly WindowQuestion[] }>(
  snapshot: Snapshot,
  compute: (snapshot: Snapshot) => Outcome,
  { ask, roundsMax, deadlineAt }: WindowSums,
): Promise<Outcome> {
  let sums = snapshot.sums
  let outcome = computeOnce(() => compute({ ...snapshot, sums }))
  for (let round = 1; outcome.missing.length > 0; round += 1) {
    assert(round <= roundsMax, `window sums are still missing after ${roundsMax} rounds`)
    if (performance.now() >= deadlineAt) throw new Unavailable('the database did not answer in time')
    sums = new Map([...sums, ...(await ask(outcome.missing))])
    outcome = computeOnce(() => compute({ ...snapshot, sums }))
  }
  return outcome
}

function computeOnce<T>(compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    if (error instanceof UnknownVersion) throw new Unavailable(error.message, { cause: error })
    throw error
  }
}
