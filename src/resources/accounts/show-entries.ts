import { readerOf } from '../../database/db/reader.ts'
import { listEntries, type StoredEntry } from '../../ledger/entries.ts'
import type { Deps } from '../../shared/deps.ts'
import { type Page, type PageQuery, readLimit, refuseCursor } from '../../shared/routes/pages.ts'

/** Above every sequence number: the first page begins with the newest entry. */
const NEWEST = 2n ** 63n - 1n

/** Shows a page of a player's entries, newest first. Errors: InvalidInput, Unavailable. */
export async function showEntries(
  deps: Deps,
  userId: string,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredEntry>> {
  const limit = readLimit(query.limit)
  const before = readCursor(query.after)
  const entries = await listEntries(readerOf(deps.db, deadlineAt), userId, { before, limit: limit + 1 })
  const rows = entries.slice(0, limit)
  return { rows, after: entries.length > limit ? rows.at(-1)!.seq : null }
}

function readCursor(text: string | undefined): bigint {
  if (text === undefined) return NEWEST
  if (!/^[1-9]\d{0,17}$/.test(text)) refuseCursor(text)
  return BigInt(text)
}
