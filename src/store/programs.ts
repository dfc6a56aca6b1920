import type { Queryable } from './db.ts'
import { sqlFile } from './sql-file.ts'

/** A published version as stored; `source` is the file's text. Moments are RFC 3339, `holds_from` may be `-infinity`. */
export type StoredProgram = Readonly<{
  version: number
  name: string
  publisher: string
  note: string
  source: string
  holds_from: string
  published_at: string
}>

const listSql = sqlFile('programs-list')
const insertSql = sqlFile('programs-insert')
const latestSql = sqlFile('programs-latest')
const insertFirstSql = sqlFile('programs-insert-first')

export async function listPrograms(db: Queryable): Promise<StoredProgram[]> {
  return db.query<StoredProgram>(listSql)
}

/** Publishes version 1, holding from the beginning of time, where no program was ever published. */
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

/** Publishes a version and answers its number. Written again with the same moment and source it is the same version. */
export async function insertProgram(tx: Queryable, program: NewProgram): Promise<number> {
  await tx.query('lock table programs in share row exclusive mode')
  const { name, publisher, note, from, source, at } = program
  const [written] = await tx.query<{ version: number }>(insertSql, [name, publisher, note, from, source, at])
  return written!.version
}

/** The highest version; 0 where there is none. */
export async function latestVersion(db: Queryable): Promise<number> {
  const [latest] = await db.query<{ version: number }>(latestSql)
  return latest!.version
}
