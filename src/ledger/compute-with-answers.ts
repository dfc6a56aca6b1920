import assert from 'node:assert/strict'
import { DEADLINE_SENTENCE } from '../database/db/failures.ts'
import { UnknownVersion } from '../engine/points/ledger/recompute.ts'
import {
  type HistoryQuery,
  historyKey,
  type PlayerHistory,
  type Snapshot,
  type SnapshotQuery,
  type WindowQuery,
  windowKey,
} from '../engine/points/ledger/snapshot.ts'
import { Unavailable } from '../errors.ts'

/** How to look up what a snapshot lacks. */
type AnswerSource = Readonly<{
  /** The points that count in each window, keyed by `windowKey`. */
  sums: (queries: readonly WindowQuery[]) => Promise<ReadonlyMap<string, bigint>>
  /** Histories of points given and spent, keyed by `historyKey`. */
  histories: (queries: readonly HistoryQuery[]) => Promise<ReadonlyMap<string, PlayerHistory>>
  /** How many times each may be called. */
  roundsMax: number
  /** In milliseconds of `performance.now()`. */
  deadlineAt: number
}>

/**
 * Computes from a snapshot. Which windows and histories are needed becomes known only while computing, so the computation is repeated with the
 * answers until none is missing. No extra round is needed if the snapshot has everything: levels count all points ever earned, and no recorded order
 * changes what it redeems. Otherwise one round is usually enough. Each round settles at
 * least the first order that lacked an answer, so there are never more rounds than orders.
 *
 * Errors: Unavailable after `deadlineAt`, or if this process does not know the program yet that an order is recorded under.
 */
export async function computeWithAnswers<Outcome extends { readonly missing: readonly SnapshotQuery[] }>(
  snapshot: Snapshot,
  compute: (snapshot: Snapshot) => Outcome,
  { sums, histories, roundsMax, deadlineAt }: AnswerSource,
): Promise<Outcome> {
  const answeredSums = new Map<string, bigint>()
  const answeredHistories = new Map<string, PlayerHistory>()
  const answered: Snapshot = {
    ...snapshot,
    levelPointsIn: (query) => answeredSums.get(windowKey(query)) ?? snapshot.levelPointsIn(query),
    history: (query) => answeredHistories.get(historyKey(query)) ?? snapshot.history(query),
  }
  let outcome = computeOnce(() => compute(snapshot))
  for (let round = 1; outcome.missing.length > 0; round += 1) {
    assert(round <= roundsMax, `answers are still missing after ${roundsMax} rounds`)
    if (performance.now() >= deadlineAt) throw new Unavailable(DEADLINE_SENTENCE)
    const windows = outcome.missing.filter((query) => 'from' in query)
    const others = outcome.missing.filter((query) => 'redemptionId' in query)
    if (windows.length > 0) for (const [key, sum] of await sums(windows)) answeredSums.set(key, sum)
    if (others.length > 0) for (const [key, history] of await histories(others)) answeredHistories.set(key, history)
    outcome = computeOnce(() => compute(answered))
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
