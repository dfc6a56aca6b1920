import type { Queryable } from '../db/driver.ts'
import { sqlFile } from '../db/sql-file.ts'

/** What migrations and the start of a service write by themselves: a database with rows only there is empty, and a backup replaces them. */
export const FILLED_BY_ITSELF = ['account_totals', 'background_work', 'secrets', 'statistics_backfill'] as const

/** Every table of a backup. Not those that say what the schema is: whoever restores has run the migrations. */
export const BACKUP_TABLES = [
  ...FILLED_BY_ITSELF,
  'account_activity',
  'account_changes',
  'account_figures',
  'account_sweeps',
  'accounts',
  'acts',
  'differed_predictions',
  'drafts',
  'entries',
  'erasures',
  'feed_days',
  'feed_last',
  'jobs',
  'order_owners',
  'orders',
  'players',
  'predictions',
  'product_attributes',
  'products',
  'programs',
  'redemptions',
  'service_times',
  'sessions',
  'settings',
  'sign_in_codes',
  'statistics_days',
  'statistics_months',
  'tallies',
  'tokens',
  'unknown_products',
] as const

const columnsSql = sqlFile(import.meta.url, 'table-columns')
const filtersSql = sqlFile(import.meta.url, 'table-filters')

/** A column in the order of its table; `isText`: its text may contain what a line of COPY escapes. */
export type TableColumn = Readonly<{ name: string; isText: boolean }>

/** The columns of a table as this database has it. */
export async function tableColumns(db: Queryable, table: string): Promise<TableColumn[]> {
  return db.query<TableColumn>(columnsSql, [table])
}

/** The indexes that cover new rows only once they are told to. */
export async function filterIndexes(db: Queryable): Promise<string[]> {
  return (await db.query<{ name: string }>(filtersSql, [BACKUP_TABLES])).map(({ name }) => name)
}
