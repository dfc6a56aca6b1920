import { InvalidInput } from '../errors.ts'
import { shown } from '../ingest/shown.ts'
import { readerOf } from '../store/db/reader.ts'
import { listEntries, type StoredEntry } from '../store/entries.ts'
import type { Deps } from './deps.ts'

/** `after` is the cursor of the next page; null on the last one. */
export type Page = Readonly<{ entries: readonly StoredEntry[]; after: string | null }>

const PAGE_ENTRIES = 50
const PAGE_ENTRIES_MAX = 500
/** Above every sequence: the first page begins at the newest entry. */
const NEWEST = 2n ** 63n - 1n

/**
 * Shows a page of a player's entries, newest first. `limit` (1 to 500, 50 if absent) and `after` (the cursor that the page before
 * answered, absent for the first) are texts of the query. Errors: InvalidInput, Unavailable.
 */
export async function showEntries(
  deps: Deps,
  userId: string,
  query: { limit?: string | undefined; after?: string | undefined },
  deadlineAt: number,
): Promise<Page> {
  const limit = readLimit(query.limit)
  const before = readCursor(query.after)
  const entries = await listEntries(readerOf(deps.db, deadlineAt), userId, { before, limit: limit + 1 })
  const page = entries.slice(0, limit)
  return { entries: page, after: entries.length > limit ? page.at(-1)!.seq : null }
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return PAGE_ENTRIES
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > PAGE_ENTRIES_MAX)
    throw new InvalidInput('query.limit', `expected a whole number from 1 to ${PAGE_ENTRIES_MAX}, got ${shown(text)}`)
  return limit
}

function readCursor(text: string | undefined): bigint {
  if (text === undefined) return NEWEST
  if (!/^[1-9]\d{0,17}$/.test(text))
    throw new InvalidInput('query.after', `expected the text under after of the page before, got ${shown(text)}`)
  return BigInt(text)
}
