/**
 * How good a figure is. exact: the ledger's own transactions count it. counted: in memory, so that a kill loses a second or two. sampled: not
 * everything was looked at.
 */
export type Quality = 'exact' | 'counted' | 'sampled'

const ASKED = ['asked-kept', 'asked-left-out', 'asked-dropped']
const PROMISES = ['came-true', 'differed', 'none-kept', 'not-compared']
/** Where one of these happened, promises were looked at in part. */
const MISSING = ['asked-left-out', 'asked-dropped', 'not-compared']

/** The quality of each measure of a period, by which measures have a line there. */
export function qualityIn(measures: readonly string[]): (measure: string) => Quality {
  const ofPromises = measures.some((measure) => MISSING.includes(measure)) ? 'sampled' : 'counted'
  return (measure) => (PROMISES.includes(measure) ? ofPromises : ASKED.includes(measure) ? 'counted' : 'exact')
}
