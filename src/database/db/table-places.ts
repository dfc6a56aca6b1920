/*
 * Where the rows of each table lie on a cluster of servers (Citus).
 */

/** A column by whose values rows are spread over the servers, `reference`: all rows on every server, or `coordinator`: all rows on one. */
export type TablePlace = 'user_id' | 'order_id' | 'reference' | 'coordinator'

/** Where the rows of each table lie. Those of one player lie on one server, in all tables. */
export const TABLE_PLACES: Readonly<Record<string, TablePlace>> = {
  account_activity: 'coordinator',
  account_changes: 'user_id',
  account_figures: 'user_id',
  account_sweeps: 'coordinator',
  account_totals: 'coordinator',
  accounts: 'user_id',
  acts: 'coordinator',
  background_work: 'coordinator',
  differed_predictions: 'user_id',
  drafts: 'coordinator',
  entries: 'user_id',
  erasures: 'coordinator',
  feed_days: 'coordinator',
  feed_last: 'coordinator',
  jobs: 'coordinator',
  laurel_schema_compatibility: 'coordinator',
  laurel_schema_version: 'coordinator',
  order_owners: 'order_id',
  orders: 'user_id',
  players: 'user_id',
  predictions: 'user_id',
  product_attributes: 'reference',
  products: 'reference',
  programs: 'coordinator',
  redemptions: 'user_id',
  secrets: 'coordinator',
  service_times: 'coordinator',
  sessions: 'coordinator',
  settings: 'coordinator',
  sign_in_codes: 'coordinator',
  statistics_backfill: 'coordinator',
  statistics_days: 'coordinator',
  statistics_months: 'coordinator',
  tallies: 'coordinator',
  tokens: 'coordinator',
  unknown_products: 'coordinator',
}
