import assert from 'node:assert/strict'
import { Unavailable } from '../../errors.ts'
import { layeredLookup } from '../../points/ledger/overlay.ts'
import { UnknownVersion } from '../../points/ledger/recompute.ts'
import type {
  HistoryQuestion,
  PlayerHistory,
  Question,
  Snapshot,
  WindowQuestion,
} from '../../points/ledger/snapshot.ts'

/** How what a snapshot lacks is asked for. */
export type Asking = Readonly<{
  /** The points that count in each window, by `windowKey`. */
  sums: (questions: readonly WindowQuestion[]) => Promise<ReadonlyMap<string, bigint>>
  /** What was given and spent, by `historyKey`. */
  histories: (questions: readonly HistoryQuestion[]) => Promise<ReadonlyMap<string, PlayerHistory>>
  /** How often each may be called. */
  roundsMax: number
  /** In milliseconds of `performance.now()`. */
  deadlineAt: number
}>

/**
 * Computes from a snapshot. Which windows and histories of a player's entries are needed shows only while computing, so it is done again with the
 * answers, until none is missing. No round is needed where the snapshot holds them all: levels count for a lifetime, and points know no days, or the balance
 * was read with it and nothing is redeemed. Otherwise it is mostly one. As a round settles at least the first order that lacked an answer, there are never more rounds than orders.
 *
 * Errors: Unavailable after `deadlineAt`, and while this process does not know yet the program that an order is recorded under.
 */
export async function computeWithAnswers<Outcome extends { readonly missing: readonly Question[] }>(
  snapshot: Snapshot,
  compute: (snapshot: Snapshot) => Outcome,
  { sums, histories, roundsMax, deadlineAt }: Asking,
): Promise<Outcome> {
  const sumsKnown = new Map(snapshot.sums)
  const historiesFound = new Map<string, PlayerHistory>()
  const known = { sums: sumsKnown, histories: layeredLookup(historiesFound, snapshot.histories) }
  let outcome = computeOnce(() => compute(snapshot))
  for (let round = 1; outcome.missing.length > 0; round += 1) {
    assert(round <= roundsMax, `answers are still missing after ${roundsMax} rounds`)
    if (performance.now() >= deadlineAt) throw new Unavailable('the database did not answer in time')
    const windows = outcome.missing.filter((question) => 'from' in question)
    const others = outcome.missing.filter((question) => 'redemptionId' in question)
    if (windows.length > 0) for (const [key, sum] of await sums(windows)) sumsKnown.set(key, sum)
    if (others.length > 0) for (const [key, history] of await histories(others)) historiesFound.set(key, history)
    outcome = computeOnce(() => compute({ ...snapshot, ...known }))
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
