import { ABSENT, valuesOf } from '../../engine/ingest/row.ts'
import type { Queryable } from '../db/driver.ts'
import { sqlFile } from '../db/sql-file.ts'
import { type BackupPart, readBackupText } from './backup-text.ts'

/** What a later backup says has ended: revoked tokens with their moments, and the digests (in hex) of erased ids. */
export type LaterEnds = Readonly<{ revoked: ReadonlyMap<string, string>; erased: ReadonlySet<string> }>

const revokeSql = sqlFile(import.meta.url, 'later-ends-revoke')
const idsSql = sqlFile(import.meta.url, 'later-ends-ids')
const PAGE_IDS = 10_000

/** Reads them from the text of a backup. Errors: as for `readBackupText`. */
export async function readLaterEnds(text: AsyncIterable<string>): Promise<LaterEnds> {
  const revoked = new Map<string, string>()
  const erased = new Set<string>()
  let table: Extract<BackupPart, { table: string }> | undefined
  for await (const part of readBackupText(text)) {
    if ('table' in part) table = part
    if (!('lines' in part) || (table?.table !== 'tokens' && table?.table !== 'erasures')) continue
    const { columns } = table
    for (const line of part.lines.split('\n').slice(0, -1)) {
      const row = Object.fromEntries(valuesOf(line).map((value, place) => [columns[place]!, value ?? ABSENT]))
      if (table.table === 'erasures') erased.add(row.digest!.replace(/^\\x/, ''))
      else if (row.revoked_at !== ABSENT) revoked.set(row.token_id!, row.revoked_at!)
    }
  }
  return { revoked, erased }
}

/** Revokes tokens that are not revoked yet. Returns how many. */
export async function revokeTokens(tx: Queryable, revoked: LaterEnds['revoked']): Promise<number> {
  return (await tx.query(revokeSql, [[...revoked.keys()], [...revoked.values()]])).length
}

/** The ids of all players, in pages. */
export async function* listPlayerIds(db: Queryable): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const page = (await db.query<{ user_id: string }>(idsSql, [after, PAGE_IDS])).map(({ user_id }) => user_id)
    if (page.length === 0) return
    yield page
    after = page.at(-1)!
  }
}
