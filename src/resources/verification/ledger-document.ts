/*
 * The result of verifying the ledger, as one document.
 */
import type { LedgerReport } from './verify-ledger.ts'

export type LedgerDocument = ReturnType<typeof ledgerDocumentOf>

/** `differences` holds the first ones as sentences, `differing` counts all; `entries` is a string, as it may exceed 2^53. */
export function ledgerDocumentOf({ players, orders, entries, differing, differences }: LedgerReport) {
  return { players, orders, entries: String(entries), differing, differences }
}
