import type { Queryable } from '../../database/db/driver.ts'
import { textOfRows } from '../../database/db/read-whole.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

/** A row under the names of its columns; null where there is nothing. */
export type ExportedRow = Readonly<Record<string, unknown>>

const STATEMENTS = {
  players: sqlFile(import.meta.url, 'export-players'),
  products: sqlFile(import.meta.url, 'export-products'),
  attributes: sqlFile(import.meta.url, 'export-attributes'),
  orders: sqlFile(import.meta.url, 'export-orders'),
  entries: sqlFile(import.meta.url, 'export-entries'),
  adjustments: sqlFile(import.meta.url, 'export-adjustments'),
  redemptions: sqlFile(import.meta.url, 'export-redemptions'),
  programs: sqlFile(import.meta.url, 'export-programs'),
  settings: sqlFile(import.meta.url, 'export-settings'),
  erasures: sqlFile(import.meta.url, 'export-erasures'),
} as const

/** Every row of a noun, in the order of its key, as text. `tx` must be a transaction on one snapshot. */
export function exportRows(
  tx: Queryable,
  noun: keyof typeof STATEMENTS,
  textOf: (page: readonly ExportedRow[]) => string,
  onRows: (rows: number) => void,
): AsyncGenerator<string> {
  return textOfRows(tx, STATEMENTS[noun], textOf, onRows)
}

const IMPORTS = {
  settings: sqlFile(import.meta.url, 'import-settings'),
  programs: sqlFile(import.meta.url, 'import-programs'),
  players: sqlFile(import.meta.url, 'import-players'),
  erasures: sqlFile(import.meta.url, 'import-erasures'),
  attributes: sqlFile(import.meta.url, 'import-attributes'),
  products: sqlFile(import.meta.url, 'import-products'),
  orders: sqlFile(import.meta.url, 'import-orders'),
  entries: sqlFile(import.meta.url, 'import-entries'),
  redemptions: sqlFile(import.meta.url, 'import-redemptions'),
} as const
const accountsSql = sqlFile(import.meta.url, 'import-accounts')

/** Stores exported records of a noun in tables that have none of them. */
export async function importRows(
  tx: Queryable,
  noun: keyof typeof IMPORTS,
  rows: readonly ExportedRow[],
): Promise<void> {
  await tx.query(IMPORTS[noun], [JSON.stringify(rows)])
}

/** Sums up the accounts of imported entries and orders. */
export async function importAccounts(tx: Queryable): Promise<void> {
  await tx.query(accountsSql)
}
