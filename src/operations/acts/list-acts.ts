import { listActPage, type StoredAct } from '../../store/acts.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Deps } from '../deps.ts'
import { type Page, type PageQuery, readLimit, refuseCursor } from '../pages.ts'

/** After every act: the first page begins at the newest. */
const NEWEST = { at: 'infinity', act_id: '' }
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)([\w-]{12})$/

/** Lists a page of what people did, newest first. Errors: InvalidInput, Unavailable. */
export async function listActs(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredAct>> {
  const limit = readLimit(query.limit)
  const before = query.after === undefined ? NEWEST : readActCursor(query.after)
  const found = await listActPage(readerOf(db, deadlineAt), before, limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, after: found.length > limit ? Buffer.from(last!.at + last!.act_id).toString('base64url') : null }
}

function readActCursor(text: string): Pick<StoredAct, 'at' | 'act_id'> {
  const [, at, id] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? refuseCursor(text)
  if (Number.isNaN(Date.parse(at!))) refuseCursor(text)
  return { at: at!, act_id: id! }
}
