import { ACT_KINDS, countActs, deleteActs, listActPage, type StoredAct } from '../../audit-log/acts.ts'
import { deleteInSlices } from '../../database/db/delete-in-slices.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { key } from '../../engine/ingest/fields.ts'
import { optional, readRecord } from '../../engine/ingest/record.ts'
import { firstDayKept } from '../../engine/ingest/retention.ts'
import { readOneOf } from '../../routing/day-range.ts'
import { listPageByTime, type Page, type PageQuery } from '../../routing/pages.ts'

const whose = { by: optional('by', key, undefined) }

/** Lists a page of acts, newest first; `by` is the id or name of a token, `act` a kind. Errors: InvalidInput, Unavailable. */
export async function listActs(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery & Readonly<{ by?: string | undefined; act?: string | undefined }>,
  deadlineAt: number,
): Promise<Page<StoredAct>> {
  const reader = readerOf(db, deadlineAt)
  const { by } = readRecord(whose, query, 'query')
  const act = query.act === undefined ? undefined : readOneOf('act', ACT_KINDS, query.act)
  return listPageByTime(
    query,
    ({ at, act_id: id }) => ({ at, id }),
    (page) => listActPage(reader, page, { by, act }),
  )
}

/** Deletes acts that are older than the shop keeps them, by days in UTC. Call it every hour. Errors: those of the database. */
export async function sweepActs({ db, now, shop }: Pick<Deps, 'db' | 'now' | 'shop'>): Promise<void> {
  const first = firstDayKept(shop()['audit-log.keep'], now().toISOString().slice(0, 10))
  if (first !== undefined) await deleteInSlices(db, (tx, rowsMax) => deleteActs(tx, first, rowsMax))
}

/** How many acts would be deleted if they were kept for so long, a value of the setting `audit-log.keep`. Errors: Unavailable. */
export async function countActsBeyond(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  keep: string,
  deadlineAt: number,
): Promise<number> {
  const first = firstDayKept(keep, now().toISOString().slice(0, 10))
  return first === undefined ? 0 : countActs(readerOf(db, deadlineAt), first)
}
