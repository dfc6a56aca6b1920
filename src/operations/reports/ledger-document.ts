/*
 * What verifying the ledger found, as one document.
 */
import type { LedgerReport } from '../verify-ledger.ts'

export type LedgerDocument = ReturnType<typeof ledgerDocumentOf>

/** `differences` holds the first ones as sentences, `differing` counts them all; `entries`, which may be beyond 2^53, is a text. */
export function ledgerDocumentOf({ players, orders, entries, differing, differences }: LedgerReport) {
  return { players, orders, entries: String(entries), differing, differences }
}
