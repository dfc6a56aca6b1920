/** About 25 ms of the embedded database, where each slice is a transaction, so that predictions can run in between (decision 42). */
export const SLICE_WEIGHT_MAX = 1_000

/**
 * Cuts records into slices of at most `weightMax` (default 1,000) each; a heavier record is a slice of its own. Without `weightOf` each record
 * weighs 1.
 */
export function slicesOf<T>(
  records: readonly T[],
  weightOf: (record: T) => number = () => 1,
  weightMax = SLICE_WEIGHT_MAX,
): T[][] {
  const slices: T[][] = []
  let left = 0
  for (const record of records) {
    const weight = weightOf(record)
    if (weight > left || slices.length === 0) {
      slices.push([])
      left = weightMax
    }
    slices.at(-1)!.push(record)
    left -= weight
  }
  return slices
}
