import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'

/** A published version as stored; `source` is the text of its file. Moments are RFC 3339, `holds_from` may be `-infinity`. */
export type StoredProgram = Readonly<{
  version: number
  name: string
  publisher: string
  note: string
  source: string
  holds_from: string
  published_at: string
  withdrawn_at: string | null
  withdrawn_by: string | null
  /** False where the version was published before decision 220. */
  rounds_first_days: boolean
}>

const listSql = sqlFile(import.meta.url, 'programs-list')
const insertSql = sqlFile(import.meta.url, 'programs-insert')
const withdrawSql = sqlFile(import.meta.url, 'programs-withdraw')
const fingerprintSql = sqlFile(import.meta.url, 'programs-fingerprint')
const insertFirstSql = sqlFile(import.meta.url, 'programs-insert-first')

/** All published versions, oldest first, including withdrawn ones. */
export async function selectPrograms(db: Queryable): Promise<StoredProgram[]> {
  return db.query<StoredProgram>(listSql)
}

/** Publishes version 1, in effect from the beginning of time, unless a program has been published before. */
export async function insertFirstProgram(
  tx: Queryable,
  first: { name: string; note: string; source: string; at: string },
): Promise<void> {
  await tx.query(insertFirstSql, [first.name, 'laurel', first.note, first.source, first.at])
}

export type NewProgram = Readonly<{
  name: string
  publisher: string
  note: string
  from: string
  source: string
  at: string
}>

/** Prevents other transactions from publishing or withdrawing until this one ends. */
export async function lockPrograms(tx: Queryable): Promise<void> {
  await tx.query('lock table programs in share row exclusive mode')
}

/** Publishes a version and returns its number. The caller must hold the lock. */
export async function insertProgram(tx: Queryable, program: NewProgram): Promise<number> {
  const { name, publisher, note, from, source, at } = program
  const [row] = await tx.query<{ version: number }>(insertSql, [name, publisher, note, from, source, at])
  return row!.version
}

/** Marks a version as withdrawn. The caller must hold the lock. */
export async function markProgramWithdrawn(tx: Queryable, version: number, at: string, by: string): Promise<void> {
  await tx.query(withdrawSql, [version, at, by])
}

/** A text that changes whenever a version is published or withdrawn. */
export async function programsFingerprint(db: Queryable): Promise<string> {
  const [row] = await db.query<{ fingerprint: string }>(fingerprintSql)
  return row!.fingerprint
}
