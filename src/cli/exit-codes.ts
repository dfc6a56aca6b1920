/** Every exit code except 0. Scripts may rely on them (docs/operating.md). */
export const EXIT = {
  /** The service refused, a file has faults, the ledger has differences, stopping took too long, or a worker was killed. */
  refused: 1,
  usage: 2,
  unavailable: 3,
  /** An import that skipped records. */
  skipped: 4,
  /** The data is damaged, or Laurel itself failed. */
  crashed: 70,
} as const
