/*
 * Fills an empty database from an export of everything. Nothing is recorded anew: entries keep their days and orders what they were computed with, so
 * every balance on every day is the same (decision 159).
 */
import { settle, takeEmpty } from '../../database/backup/restore.ts'
import { migrate } from '../../database/db/migrate.ts'
import type { Db, Tx } from '../../database/db/transaction.ts'
import { transactionOnce } from '../../database/db/transaction-once.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import { deriveStatistics } from '../../ledger/tallies.ts'
import { verifyWithin } from '../verification/verify-ledger.ts'
import { END_OF_ALL, NOUNS_OF_ALL } from './nouns.ts'
import { type ExportedRow, importAccounts, importRows } from './store.ts'

type Noun = (typeof NOUNS_OF_ALL)[number]
type Batch = Readonly<{ noun: Noun; rows: readonly ExportedRow[] }>

const TIMEOUT_MS = 24 * 3_600_000
/** About so many characters are stored at a time. */
const TEXT_MAX = 2 ** 20

/**
 * Stores the records of `laurel export all`, in one transaction that the verification of the ledger is a part of. Returns how many. `onRows` is called
 * with how many were stored so far. Errors: OperatorError if the database is not empty, or the file is not whole, or its ledger has differences;
 * Unavailable. Nothing is stored then.
 */
export async function importAll(
  db: Db,
  chunks: AsyncIterable<string>,
  onRows: (rows: number) => void,
): Promise<number> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  await migrate(db, deadlineAt)
  try {
    const lost = 'the connection was lost, and nothing was imported: try again'
    const work = (tx: Tx) => load(tx, chunks, onRows)
    const rows = await transactionOnce(db, { prepare: takeEmpty, work, lost }, deadlineAt)
    await db.transaction(settle, deadlineAt)
    return rows
  } catch (error) {
    if (error instanceof OperatorError || error instanceof Unavailable || 'syscall' in (error as object)) throw error
    throw new OperatorError(`a record cannot be stored: ${(error as Error).message}`, { cause: error })
  }
}

async function load(tx: Tx, chunks: AsyncIterable<string>, onRows: (rows: number) => void): Promise<number> {
  let stored = 0
  for await (const { noun, rows } of batchesIn(chunks)) {
    await importRows(tx, noun, rows)
    stored += rows.length
    onRows(stored)
  }
  await importAccounts(tx)
  await deriveStatistics(tx)
  const { differing, differences } = await verifyWithin(tx, () => undefined)
  if (differing > 0)
    throw new OperatorError(
      `the ledger in the file has differences, and nothing was imported: ${differences.join('; ')}`,
    )
  return stored
}

/** The records in the text of a file, those of a noun together. Errors: OperatorError if it is none, or has no end. */
async function* batchesIn(chunks: AsyncIterable<string>): AsyncGenerator<Batch> {
  let [records, characters] = [0, 0]
  let batch: { noun: Noun; rows: ExportedRow[] } | undefined
  let isComplete = false
  for await (const line of linesIn(chunks)) {
    const { noun, ...record } = parsed(line)
    if (isComplete) throw notWhole()
    isComplete = noun === END_OF_ALL
    if (isComplete && record.records !== records) throw notWhole()
    if (batch !== undefined && (isComplete || batch.noun !== noun || characters > TEXT_MAX)) {
      yield batch
      batch = undefined
    }
    if (isComplete) continue
    const exported = NOUNS_OF_ALL.find((one) => one === noun)
    if (exported === undefined) throw notExported()
    batch ??= { noun: exported, rows: [] }
    if (batch.rows.length === 0) characters = 0
    batch.rows.push(rowOf(exported, record))
    characters += line.length
    records += 1
  }
  if (!isComplete) throw notWhole()
}

async function* linesIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of chunks) {
    const lines = (text + chunk).split('\n')
    text = lines.pop()!
    yield* lines
  }
  if (text !== '') yield text
}

function parsed(line: string): ExportedRow {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record === 'object' && record !== null) return record as ExportedRow
  } catch {}
  throw notExported()
}

/** A record as the statements take it. */
function rowOf(noun: Noun, record: ExportedRow): ExportedRow {
  if (noun === 'orders') return stateRow(record)
  if (noun !== 'entries') return record
  const never = (day: unknown) => (day === null ? 'infinity' : day)
  return { ...record, usable_on: never(record.usable_on), expires_on: never(record.expires_on) }
}

/** An order with its state as it is stored. */
function stateRow({ products, ...order }: ExportedRow): ExportedRow {
  const { status, total_amount, discount, total_qty, refferral_code, subscript_points } = order
  const { fulfilled_at, points_redeemed, redemption_id, currency, attributes } = order
  const lines = (products as readonly ExportedRow[]).map(({ product_sku_id, ...line }) => ({
    sku: product_sku_id,
    ...line,
  }))
  const amounts = { total: total_amount, discount, qty: total_qty }
  const sent = {
    referral_code: refferral_code,
    subscript_points,
    fulfilled_at,
    points_redeemed,
    redemption_id,
    currency,
    attributes,
  }
  return { ...order, state: { status, ...amounts, ...sent, lines } }
}

const notExported = () => new OperatorError('expected a file made by laurel export all')
const notWhole = () => new OperatorError('the file is not whole: export it again')
