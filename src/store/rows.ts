import type { Row } from '../ingest/batch.ts'
import { valuesOf } from '../ingest/row.ts'
import type { Queryable } from './db/driver.ts'
import { isUniqueViolation } from './db/failures.ts'
import { sqlFile } from './db/sql-file.ts'
import type { Tx } from './db/transaction.ts'

/** A record that an upsert wrote. What was sent and is not among the written was unchanged. */
export type WrittenRow = Readonly<{ key: string; inserted: boolean }>

/** A record that was not there when it was looked for, and then was: with the same values, unless it `isChanged` now. */
export type LateRow = Readonly<{ key: string; isChanged: boolean }>

/** What is stored of a record that may carry a version of its state (decision 71). */
export type StoredState = Readonly<{ fingerprint: string; stateVersion?: number }>

/** From so many rows on COPY is faster than lists as parameters: more than in the ledger, as its savepoint costs two more statements. */
const SAVEPOINT_COPY_ROWS_MIN = 100

/** Rows of so many values as lists, one for each column: the parameters of an upsert. */
export function columnsOf(rows: readonly Row[], count: number): (string | null)[][] {
  const values = rows.map(({ row }) => valuesOf(row))
  return Array.from({ length: count }, (_, column) => values.map((one) => one[column]!))
}

/**
 * What is stored of each key: the fingerprint of its values, in the order asked; undefined where nothing is. Keys have no control
 * characters: lists of them cross as one text between tabs, which costs a third of a list or a row for each.
 */
export async function listFingerprints(
  db: Queryable,
  sql: string,
  keys: readonly string[],
): Promise<(string | undefined)[]> {
  const places = [...keys.keys()].sort((a, b) => (keys[a]! < keys[b]! ? -1 : 1))
  const [found] = await db.query<{ keys: string | null; fingerprints: string }>(sql, [
    places.map((place) => keys[place]).join('\t'),
  ])
  if (found === undefined || found.keys === null) return keys.map(() => undefined)
  return matched(keys, places, found.keys.split('\t'), found.fingerprints.split('\t'))
}

/**
 * Asked and found keys walked side by side, as an index answers in the order of keys. A map of keys that are never seen again costs more than
 * the question; it helps out where the database has another order, as with a few rare characters.
 */
function matched(
  keys: readonly string[],
  places: readonly number[],
  foundKeys: readonly string[],
  fingerprints: readonly string[],
): (string | undefined)[] {
  const answers = keys.map((): string | undefined => undefined)
  let at = -1
  for (const place of places) {
    if (foundKeys[at + 1] === keys[place]) at += 1
    if (foundKeys[at] === keys[place]) answers[place] = fingerprints[at]
  }
  if (at === foundKeys.length - 1) return answers
  const byKey = new Map(foundKeys.map((key, index) => [key, fingerprints[index]!]))
  return keys.map((key) => byKey.get(key))
}

/**
 * Inserts rows that were not stored when they were looked for: by COPY, which knows no conflict, and where another request was quicker
 * by the upsert. Answers those that were there after all.
 */
export async function insertRows(
  tx: Tx,
  rows: readonly Row[],
  {
    copySql,
    line,
    upsert,
  }: { copySql: string; line: (row: Row) => string; upsert: (rows: readonly Row[]) => Promise<WrittenRow[]> },
): Promise<LateRow[]> {
  if (rows.length >= SAVEPOINT_COPY_ROWS_MIN) {
    try {
      await tx.savepoint((inner) => inner.copy(copySql, rows.map(line).join('')))
      return []
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
    }
  }
  const written = await upsert(rows)
  const isInserted = new Map(written.map(({ key, inserted }) => [key, inserted]))
  return rows.flatMap(({ key }) =>
    isInserted.get(key) === true ? [] : [{ key, isChanged: isInserted.get(key) === false }],
  )
}

/** The states of one table. `parts`: its name, its key, and its fingerprint as an expression. */
export function statesIn(parts: Readonly<{ table: string; key: string; fingerprint: string }>) {
  const listSql = sqlFile('rows-states', { ...parts, lock: '' })
  const lockSql = sqlFile('rows-states', { ...parts, lock: 'for update' })
  const raiseSql = sqlFile('rows-raise-versions', parts)
  const forgetSql = sqlFile('rows-forget-version', parts)
  return {
    /** What is stored of these keys. */
    list: async (db: Queryable, keys: readonly string[]) => statesOf(await db.query<StateRow>(listSql, [keys])),
    /** The same, which nobody else changes before the transaction ends. */
    lock: async (tx: Queryable, keys: readonly string[]) => statesOf(await tx.query<StateRow>(lockSql, [keys])),
    /** Notes the version of each key. */
    raise: async (tx: Queryable, raised: readonly Readonly<{ key: string; stateVersion: number }>[]): Promise<void> => {
      const versions = raised.map(({ stateVersion }) => stateVersion)
      if (raised.length > 0) await tx.query(raiseSql, [raised.map(({ key }) => key), versions])
    },
    /** Whether there is such a record; it has no version from now on. */
    forget: async (tx: Queryable, key: string): Promise<boolean> => (await tx.query(forgetSql, [key])).length === 1,
  }
}

type StateRow = Readonly<{ key: string; fingerprint: string; state_version: number | null }>

function statesOf(rows: readonly StateRow[]): ReadonlyMap<string, StoredState> {
  return new Map(
    rows.map(({ key, fingerprint, state_version }) => [
      key,
      { fingerprint, ...(state_version === null ? {} : { stateVersion: state_version }) },
    ]),
  )
}
