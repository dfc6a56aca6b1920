import { listActPage, type StoredAct } from '../../store/acts.ts'
import { readerOf } from '../../store/db/reader.ts'
import type { Deps } from '../deps.ts'
import { listPageByMoment, type Page, type PageQuery } from '../pages.ts'

/** Lists a page of what people did, newest first. Errors: InvalidInput, Unavailable. */
export async function listActs(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredAct>> {
  const reader = readerOf(db, deadlineAt)
  return listPageByMoment(
    query,
    ({ at, act_id: id }) => ({ at, id }),
    (page) => listActPage(reader, page),
  )
}
