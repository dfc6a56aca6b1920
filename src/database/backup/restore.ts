import { OperatorError } from '../../errors.ts'
import { migrate, migrateForBackup } from '../db/migrate.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { transactionOnce } from '../db/transaction-once.ts'
import { type BackupHead, type BackupPart, readBackupText } from './backup-text.ts'
import { BACKUP_TABLES, FILLED_BY_ITSELF, filterIndexes, tableColumns } from './tables.ts'

/** A backup that was restored, and how many rows it had. */
export type RestoredBackup = Readonly<{ head: BackupHead; rows: number }>

const TIMEOUT_MS = 24 * 3_600_000

/**
 * Fills an empty database with the text of a backup, in one transaction after the migrations that the backup had; then runs later ones.
 * `onRows` is called with how many rows were stored so far. Errors: OperatorError if the database is not empty, or the backup is damaged or newer than this code; Unavailable. The database is empty then.
 */
export async function restoreBackup(
  db: Db,
  text: AsyncIterable<string>,
  onRows: (rows: number) => void,
): Promise<RestoredBackup> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  const parts = readBackupText(text)
  const first = (await parts.next()).value as Extract<BackupPart, { head: BackupHead }>
  const { head } = first
  await migrateForBackup(db, head.schemaVersion, deadlineAt)
  const lost = 'the connection was lost, and nothing was restored: try again'
  const work = (tx: Tx) => load(tx, parts, onRows)
  const rows = await transactionOnce(db, { prepare: takeEmpty, work, lost }, deadlineAt)
  await migrate(db, deadlineAt)
  await db.transaction(settle, deadlineAt)
  return { head, rows }
}

/** Takes an empty database for itself, until the transaction ends. Errors: OperatorError if anything was ever stored. */
export async function takeEmpty(tx: Tx): Promise<void> {
  await tx.query('set local statement_timeout = 0')
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  // A service that starts meanwhile must not write its first token.
  await tx.query(`lock table ${BACKUP_TABLES.join(', ')} in exclusive mode`)
  await assertEmpty(tx)
}

async function load(tx: Tx, parts: AsyncIterable<BackupPart>, onRows: (rows: number) => void): Promise<number> {
  for (const table of FILLED_BY_ITSELF) await tx.query(`delete from ${table}`)
  const left = new Set<string>(BACKUP_TABLES)
  let copy = ''
  let rows = 0
  for await (const part of parts) {
    if ('table' in part) {
      await assertTable(tx, part, left)
      left.delete(part.table)
      copy = `copy ${part.table} (${part.columns.join(', ')}) from stdin`
    } else if ('lines' in part) {
      await tx.batch([{ sql: copy, rows: part.lines }])
      rows += part.rows
      onRows(rows)
    }
  }
  return rows
}

/** Errors: OperatorError if anything was ever stored. */
async function assertEmpty(tx: Tx): Promise<void> {
  const tables = BACKUP_TABLES.filter((table) => !(FILLED_BY_ITSELF as readonly string[]).includes(table))
  const [row] = await tx.query<{ filled: string | null }>(
    `select concat_ws(', ', ${tables.map((table) => `case when exists (select 1 from ${table}) then '${table}' end`).join(', ')}) as filled`,
  )
  if (row!.filled !== '')
    throw new OperatorError(
      `the database is not empty (it has ${row!.filled}): restore into a new data directory or database`,
    )
}

/** Errors: OperatorError if a table is none of ours or occurs twice, or has another column. */
async function assertTable(
  tx: Tx,
  { table, columns }: Extract<BackupPart, { table: string }>,
  left: ReadonlySet<string>,
): Promise<void> {
  const columnNames = left.has(table) ? (await tableColumns(tx, table)).map(({ name }) => name) : []
  const unknown = columns.find((column) => !columnNames.includes(column))
  if (unknown !== undefined)
    throw new OperatorError(`the backup is damaged: its table ${table} has an unknown column ${unknown}`)
}

/** What the database would otherwise only learn in its next quiet minutes: how many rows there are, and where. */
export async function settle(tx: Tx): Promise<void> {
  await tx.query('set local statement_timeout = 0')
  for (const index of await filterIndexes(tx)) await tx.query('select brin_summarize_new_values($1::regclass)', [index])
  for (const table of BACKUP_TABLES) await tx.query(`analyze ${table}`)
}
