/*
 * Everything that is recorded of a noun, as CSV or NDJSON, under the names of the API and of the import (decision 159).
 */
import { csvOf } from '../../csv.ts'
import { writeWholeFile } from '../../database/backup/whole-file.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readWhole } from '../../database/db/read-whole.ts'
import type { Db } from '../../database/db/transaction.ts'
import { finiteDay } from '../../routing/day-range.ts'
import { ALL, END_OF_ALL, EXPORT_FIELDS, type ExportFormat, type ExportNoun, NOUNS_OF_ALL } from './nouns.ts'
import { type ExportedRow, exportRows } from './store.ts'

/** What to export, and how. `onRows` is called with how many records were written so far. */
export type ExportOptions = Readonly<{
  noun: ExportNoun | typeof ALL
  format: ExportFormat
  onRows: (rows: number) => void
}>

/** Calls `use` with the text of an export: every record as it is at one moment, while others may write. Errors: as for `readWhole`; those of `use`. */
export async function withExportText(
  db: Db,
  { noun, format, onRows }: ExportOptions,
  use: (text: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  const textOf = (tx: Queryable) => {
    if (noun === ALL) return everything(tx, onRows)
    return format === 'csv' ? csvText(tx, noun, onRows) : exportRows(tx, noun, ndjsonOf(noun), onRows)
  }
  await readWhole(db, (tx) => use(textOf(tx)))
}

/** The records of a noun as NDJSON, `head` first in each. */
function ndjsonOf(noun: ExportNoun, head: object = {}) {
  return (page: readonly ExportedRow[]) =>
    page.map((row) => `${JSON.stringify({ ...head, ...recordOf(row, noun) })}\n`).join('')
}

async function* csvText(tx: Queryable, noun: ExportNoun, onRows: (rows: number) => void): AsyncGenerator<string> {
  const fields = EXPORT_FIELDS[noun]
  yield csvOf([fields])
  const cells = (row: ExportedRow) => {
    const record = recordOf(row, noun)
    return fields.map((field) => record[field])
  }
  yield* exportRows(tx, noun, (page) => csvOf(page.map(cells)), onRows)
}

async function* everything(tx: Queryable, onRows: (rows: number) => void): AsyncGenerator<string> {
  let records = 0
  for (const noun of NOUNS_OF_ALL) {
    let ofNoun = 0
    yield* exportRows(tx, noun, ndjsonOf(noun, { noun }), (rows) => {
      ofNoun = rows
      onRows(records + rows)
    })
    records += ofNoun
  }
  yield `${JSON.stringify({ noun: END_OF_ALL, records })}\n`
}

/** Writes an export to a new file. Errors: as for `writeWholeFile` and `withExportText`. */
export async function writeExportFile(db: Db, path: string, options: ExportOptions): Promise<void> {
  await writeWholeFile(path, (write) => withExportText(db, options, write))
}

/** A record has only the fields that it needs, as in answers of the API. */
function recordOf(row: ExportedRow, noun: ExportNoun): ExportedRow {
  const record: Record<string, unknown> = {}
  const named = noun === 'orders' ? orderRow(row) : row
  for (const field of EXPORT_FIELDS[noun]) {
    const value = named[field]
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
  lines: readonly Readonly<{ sku?: string; amount?: string; qty: string; refunded?: unknown; attributes?: unknown }>[]
}>

/** An order under the names of the import. */
function orderRow({ state, ...row }: ExportedRow): ExportedRow {
  const { total, qty, referral_code, lines, ...same } = state as State
  const products = lines.map(({ sku, amount, qty, refunded, attributes }) => ({
    ...{ product_sku_id: sku, amount, qty, refunded, attributes },
  }))
  return { ...row, ...same, total_amount: total, total_qty: qty, refferral_code: referral_code, products }
}
