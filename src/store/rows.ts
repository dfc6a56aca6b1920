import type { Row } from '../ingest/batch.ts'
import { valuesOf } from '../ingest/row.ts'
import type { Queryable } from './db.ts'
import type { Tx } from './transaction.ts'

/** A record that an upsert wrote. What was sent and is not among the written was unchanged. */
export type Written = Readonly<{ key: string; inserted: boolean }>

/** Keys that are stored, each with the fingerprint of its values. */
export type Fingerprints = ReadonlyMap<string, string>

/** From so many rows on COPY is faster than parameters (bench/NOTES.md). */
const COPY_ROWS_MIN = 100
const UNIQUE_VIOLATION = '23505'

/** Rows of so many values as lists, one for each column: the parameters of an upsert. */
export function columnsOf(rows: readonly Row[], count: number): string[][] {
  const values = rows.map(({ row }) => valuesOf(row))
  return Array.from({ length: count }, (_, column) => values.map((one) => one[column]!))
}

/**
 * Which of these keys are stored, and with which fingerprints. Keys have no control characters: lists of them cross as one text between
 * tabs, which costs a third of a list or a row for each.
 */
export async function listFingerprints(db: Queryable, sql: string, keys: readonly string[]): Promise<Fingerprints> {
  const [found] = await db.query<{ keys: string | null; fingerprints: string }>(sql, [keys.join('\t')])
  if (found === undefined || found.keys === null) return new Map()
  const fingerprints = found.fingerprints.split('\t')
  return new Map(found.keys.split('\t').map((key, index) => [key, fingerprints[index]!]))
}

/**
 * Inserts rows that were not stored when they were looked for: by COPY, which knows no conflict, and where another request was quicker
 * by the upsert. Answers the keys of those that were there after all.
 */
export async function insertRows(
  tx: Tx,
  rows: readonly Row[],
  {
    copySql,
    line,
    upsert,
  }: { copySql: string; line: (row: Row) => string; upsert: (rows: readonly Row[]) => Promise<Written[]> },
): Promise<string[]> {
  if (rows.length >= COPY_ROWS_MIN) {
    try {
      await tx.attempt((inner) => inner.copy(copySql, rows.map(line).join('')))
      return []
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
    }
  }
  const written = await upsert(rows)
  const inserted = new Set(written.flatMap(({ key, inserted }) => (inserted ? [key] : [])))
  return inserted.size === rows.length ? [] : rows.flatMap(({ key }) => (inserted.has(key) ? [] : [key]))
}
