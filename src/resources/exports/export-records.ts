/*
 * Everything that is recorded of a noun, as CSV or NDJSON, under the names of the API and of the import (decision 158).
 */
import { csvOf } from '../../csv.ts'
import { writeWholeFile } from '../../database/backup/whole-file.ts'
import { readWhole } from '../../database/db/read-whole.ts'
import type { Db } from '../../database/db/transaction.ts'
import { finiteDay } from '../../routing/day-range.ts'
import { EXPORT_FIELDS, type ExportFormat, type ExportNoun } from './nouns.ts'
import { type ExportedRow, exportRows } from './store.ts'

/** What to export, and how. `onRows` is called with how many records were written so far. */
export type ExportOptions = Readonly<{ noun: ExportNoun; format: ExportFormat; onRows: (rows: number) => void }>

/** Calls `use` with the text of an export: every record as it is at one moment, while others may write. Errors: as for `readWhole`; those of `use`. */
export async function withExportText(
  db: Db,
  { noun, format, onRows }: ExportOptions,
  use: (text: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  const fields = EXPORT_FIELDS[noun]
  const head = format === 'csv' ? csvOf([fields]) : ''
  const textOf = (page: readonly ExportedRow[]) => {
    const records = page.map((row) => recordOf(noun === 'orders' ? orderRow(row) : row, fields))
    if (format === 'csv') return csvOf(records.map((record) => fields.map((field) => record[field])))
    return records.map((record) => `${JSON.stringify(record)}\n`).join('')
  }
  await readWhole(db, (tx) => use(withHead(head, exportRows(tx, noun, textOf, onRows))))
}

/** Writes an export to a new file. Errors: as for `writeWholeFile` and `withExportText`. */
export async function writeExportFile(db: Db, path: string, options: ExportOptions): Promise<void> {
  await writeWholeFile(path, (write) => withExportText(db, options, write))
}

async function* withHead(head: string, text: AsyncIterable<string>): AsyncGenerator<string> {
  if (head !== '') yield head
  yield* text
}

/** A record has only the fields that it needs, as in answers of the API. */
function recordOf(row: ExportedRow, fields: readonly string[]): ExportedRow {
  const record: Record<string, unknown> = {}
  for (const field of fields) {
    const value = row[field]
    if (value === null || value === undefined) continue
    record[field] = DAYS_OF_POINTS.has(field) ? finiteDay(value as string) : value
  }
  return record
}

const DAYS_OF_POINTS = new Set(['usable_on', 'expires_on'])

type State = Readonly<{
  total: unknown
  qty?: unknown
  referral_code: unknown
  lines: readonly Readonly<{ sku?: string; amount?: string; qty: string }>[]
}>

/** An order under the names of the import. */
function orderRow({ state, ...row }: ExportedRow): ExportedRow {
  const { total, qty, referral_code, lines, ...same } = state as State
  const products = lines.map(({ sku, amount, qty }) => ({ product_sku_id: sku, amount, qty }))
  return { ...row, ...same, total_amount: total, total_qty: qty, refferral_code: referral_code, products }
}
