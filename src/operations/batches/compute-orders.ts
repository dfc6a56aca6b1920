import { Unavailable } from '../../errors.ts'
import { UnknownVersion } from '../../points/ledger/recompute.ts'
import type { Snapshot, WindowQuestion } from '../../points/ledger/snapshot.ts'

/**
 * Computes from a snapshot. Which windows of a player's entries are asked about shows only while computing: so it is done again
 * with the answers, until none is missing. One round where levels count for a lifetime, two where they have a window.
 *
 * Errors: Unavailable while this process does not know yet the program that an order is recorded under.
 */
export async function computeWithSums<Outcome extends { readonly missing: readonly WindowQuestion[] }>(
  snapshot: Snapshot,
  compute: (snapshot: Snapshot) => Outcome,
  ask: (questions: readonly WindowQuestion[]) => Promise<ReadonlyMap<string, bigint>>,
): Promise<Outcome> {
  for (let sums = snapshot.sums; ; ) {
    const outcome = attempt(() => compute({ ...snapshot, sums }))
    if (outcome.missing.length === 0) return outcome
    sums = new Map([...sums, ...(await ask(outcome.missing))])
  }
}

function attempt<T>(compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    if (error instanceof UnknownVersion) throw new Unavailable(error.message, { cause: error })
    throw error
  }
}
