import { readPlayerSearch } from '../../engine/ingest/player-search.ts'
import type { Deps } from '../../shared/deps.ts'
import { listPage, type Page, type PageQuery } from '../../shared/routes/pages.ts'
import { findPlayersBy, type StoredPlayer } from './store.ts'

/**
 * Searches for players who match any of the terms: a user id or a referral code exactly, an e-mail address in any case, a phone number with
 * or without its plus (decision 122). Returns a page of them, by user id. Errors: InvalidInput, Unavailable.
 */
export async function searchPlayers(
  { db }: Pick<Deps, 'db'>,
  data: unknown,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredPlayer>> {
  const search = readPlayerSearch(data)
  return listPage(
    query,
    ({ user_id }) => user_id,
    (page) => db.transaction((tx) => findPlayersBy(tx, search, page), deadlineAt),
  )
}
