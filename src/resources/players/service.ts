import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../shared/deps.ts'
import { listPage, type Page, type PageQuery } from '../../shared/routes/pages.ts'
import { listPlayerPage, type StoredPlayer } from './store.ts'

/** Lists a page of players by user id. `prefix` is how their ids begin, case included. Errors: InvalidInput, Unavailable. */
export async function listPlayers(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery & Readonly<{ prefix?: string | undefined }>,
  deadlineAt: number,
): Promise<Page<StoredPlayer>> {
  const reader = readerOf(db, deadlineAt)
  return listPage(
    query,
    ({ user_id }) => user_id,
    (page) => listPlayerPage(reader, page),
  )
}
