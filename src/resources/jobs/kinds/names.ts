/** The kinds of jobs, as the wire names them. Apart from the kinds, so that what only names them does not depend on what they run. */
export const JOB_KIND_NAMES = [
  'backfill',
  'backtest',
  'backup',
  'export',
  'points-expiring',
  'points-report',
  'probe',
  'report',
  'verify',
] as const
export type JobKindName = (typeof JOB_KIND_NAMES)[number]
