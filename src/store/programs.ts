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
