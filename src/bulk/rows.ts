import type { Queryable } from '../database/db/driver.ts'
import { isUniqueViolation } from '../database/db/failures.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { Tx } from '../database/db/transaction.ts'
import type { Row } from '../engine/ingest/batch.ts'
import { valuesOf } from '../engine/ingest/row.ts'

/** A record that an upsert wrote. Records that were sent but not written were unchanged. */
export type WrittenRow = Readonly<{ key: string; inserted: boolean }>

/** A record that another request inserted between lookup and write; `isChanged` if it had other values, which the write replaced. */
export type LateRow = Readonly<{ key: string; isChanged: boolean }>

/** The stored fingerprint of a record, and the version of its state, if it carries one (decision 71). */
export type StoredState = Readonly<{ fingerprint: string; stateVersion?: number }>

/** From this many rows on, COPY is faster than arrays as parameters: more than in the ledger, because the savepoint costs two statements. */
const SAVEPOINT_COPY_ROWS_MIN = 100

/** Transposes rows of `count` values into one list per column: the parameters of an upsert. */
export function columnsOf(rows: readonly Row[], count: number): (string | null)[][] {
  const values = rows.map(({ row }) => valuesOf(row))
  return Array.from({ length: count }, (_, column) => values.map((one) => one[column]!))
}

/**
 * The stored fingerprint for each key, in the order given; undefined if none is stored. Keys contain no control characters, so they are
 * sent and returned as one tab-separated text, at a third of the cost of an array or a row for each.
 */
export async function listFingerprints(
  db: Queryable,
  sql: string,
  keys: readonly string[],
): Promise<(string | undefined)[]> {
  const places = [...keys.keys()].sort((a, b) => (keys[a]! < keys[b]! ? -1 : 1))
  const [stored] = await db.query<{ keys: string | null; fingerprints: string }>(sql, [
    places.map((place) => keys[place]).join('\t'),
  ])
  if (stored === undefined || stored.keys === null) return keys.map(() => undefined)
  return matched(keys, places, stored.keys.split('\t'), stored.fingerprints.split('\t'))
}

/**
 * Merges the requested and found keys, both normally in index order. Building a map of all keys would cost more than the query itself; it is
 * only the fallback for rare characters that the database orders differently.
 */
function matched(
  keys: readonly string[],
  places: readonly number[],
  storedKeys: readonly string[],
  fingerprints: readonly string[],
): (string | undefined)[] {
  const responses = keys.map((): string | undefined => undefined)
  let at = -1
  for (const place of places) {
    if (storedKeys[at + 1] === keys[place]) at += 1
    if (storedKeys[at] === keys[place]) responses[place] = fingerprints[at]
  }
  if (at === storedKeys.length - 1) return responses
  const byKey = new Map(storedKeys.map((key, index) => [key, fingerprints[index]!]))
  return keys.map((key) => byKey.get(key))
}

/**
 * Inserts rows that were not stored when looked up: by COPY, which cannot handle conflicts, or by the upsert if there are few rows or another
 * request was faster, or without `copySql`. Returns those that turned out to exist after all.
 */
export async function insertRows(
  tx: Tx,
  rows: readonly Row[],
  {
    copySql,
    line,
    upsert,
  }: { copySql?: string; line: (row: Row) => string; upsert: (rows: readonly Row[]) => Promise<WrittenRow[]> },
): Promise<LateRow[]> {
  if (copySql !== undefined && rows.length >= SAVEPOINT_COPY_ROWS_MIN) {
    try {
      await tx.savepoint((inner) => inner.batch([{ sql: copySql, rows: rows.map(line).join('') }]))
      return []
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
    }
  }
  const upserted = await upsert(rows)
  const isInserted = new Map(upserted.map(({ key, inserted }) => [key, inserted]))
  return rows.flatMap(({ key }) =>
    isInserted.get(key) === true ? [] : [{ key, isChanged: isInserted.get(key) === false }],
  )
}

/** Access to the versioned states of one table. `parts`: its name, its key column, and an SQL expression for the fingerprint. */
export function statesIn(parts: Readonly<{ table: string; key: string; fingerprint: string }>) {
  const listSql = sqlFile(import.meta.url, 'rows-states', parts)
  const lockSql = sqlFile(import.meta.url, 'rows-lock', parts)
  const raiseSql = sqlFile(import.meta.url, 'rows-raise-versions', parts)
  const forgetSql = sqlFile(import.meta.url, 'rows-forget-version', parts)
  return {
    /** The stored states of these keys. */
    list: async (db: Queryable, keys: readonly string[]) => statesOf(await db.query<StateRow>(listSql, [keys])),
    /** The same, locked until the transaction ends. */
    lock: async (tx: Queryable, keys: readonly string[]) => statesOf(await tx.query<StateRow>(lockSql, [keys])),
    /** Stores the version of each key. */
    raise: async (tx: Queryable, raised: readonly Readonly<{ key: string; stateVersion: number }>[]): Promise<void> => {
      const versions = raised.map(({ stateVersion }) => stateVersion)
      if (raised.length > 0) await tx.query(raiseSql, [raised.map(({ key }) => key), versions])
    },
    /** Clears the version of a record. Whether it had one; undefined if there is no such record. */
    forget: async (tx: Queryable, key: string): Promise<boolean | undefined> =>
      (await tx.query<{ had_version: boolean }>(forgetSql, [key]))[0]?.had_version,
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
