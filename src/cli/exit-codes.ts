/** Every exit code but 0. Scripts may rely on them (docs/operating.md). */
export const EXIT = {
  /** The service refused, a file has faults, the ledger has differences; or a stop that did not finish in time. */
  refused: 1,
  usage: 2,
  unavailable: 3,
  /** An import that skipped records. */
  skipped: 4,
  /** The data is damaged, or Laurel itself failed. */
  crashed: 70,
} as const
