/** The kinds of figures that `laurel stats` prints. Here, because the command line loads this file for every command (decision 145). */
export const STATS_VIEWS = [
  'summary',
  'points',
  'rules',
  'orders',
  'predictions',
  'levels',
  'accounts',
  'feeds',
  'unknown-products',
  'service',
] as const
export type StatsView = (typeof STATS_VIEWS)[number]
