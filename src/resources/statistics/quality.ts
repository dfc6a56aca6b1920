/**
 * The quality of a figure. exact: counted by the ledger's own transactions. counted: counted in memory, so that a crash loses a second or two.
 * sampled: not everything was examined.
 */
export type Quality = 'exact' | 'counted' | 'sampled'

const ASKED = ['asked-kept', 'asked-left-out', 'asked-dropped']
const PROMISES = ['came-true', 'differed', 'none-kept', 'not-compared']
/** If any of these occurred, only part of the promises were examined. */
const MISSING = ['asked-left-out', 'asked-dropped', 'not-compared']

/** The quality of each measure in a period, given the measures that have a line in it. */
export function qualityIn(measures: readonly string[]): (measure: string) => Quality {
  const ofPromises = measures.some((measure) => MISSING.includes(measure)) ? 'sampled' : 'counted'
  return (measure) => (PROMISES.includes(measure) ? ofPromises : ASKED.includes(measure) ? 'counted' : 'exact')
}
