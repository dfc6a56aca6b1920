import { InvalidInput, NotFound } from '../errors.ts'
import { shortened, shown } from '../ingest/shown.ts'
import type { WindowQuestion } from '../points/ledger/snapshot.ts'
import { windowKey } from '../points/ledger/snapshot.ts'
import { levelChange, windowStart } from '../points/levels.ts'
import type { LevelChange } from '../points/model.ts'
import { programAt } from '../points/programs.ts'
import { listAccounts, listEntries, type StoredEntry } from '../store/accounts.ts'
import { readerOf } from '../store/db/reader.ts'
import type { Deps } from './deps.ts'

/** Where a player stands now: the balance, what counts for the level, the level. */
export type PlayerStanding = Readonly<{
  name: string
  points: bigint
  earned: bigint
  level: string
  next: LevelChange['next']
}>

export type Page = Readonly<{ entries: readonly StoredEntry[]; after: string | null }>

const PAGE_ENTRIES = 50
const PAGE_ENTRIES_MAX = 500
/** Above every sequence: the first page begins at the newest entry. */
const NEWEST = 2n ** 63n - 1n

/** Where a player stands, under the program that holds now. Errors: NotFound for one never sent; Unavailable. */
export async function showStanding(deps: Deps, userId: string, deadlineAt: number): Promise<PlayerStanding> {
  const reader = readerOf(deps.db, deadlineAt)
  const [found] = await listAccounts(reader, [userId])
  if (found === undefined) throw new NotFound(`there is no player ${shortened(userId)}`)
  const now = deps.now().toISOString()
  const published = programAt(deps.programs(), now)
  if (published === undefined) throw new NotFound('no program holds now')
  const { counts, ladder } = published.program.levels
  const from = windowStart(counts, now)
  const earned =
    from === undefined
      ? found.account.levelPoints
      : await sumOf(deps, { userId, orderId: '', from, to: now }, deadlineAt)
  const { before, next } = levelChange(ladder, earned, 0n)
  return { name: found.name, points: found.account.points, earned, level: before, next }
}

async function sumOf(deps: Deps, question: WindowQuestion, deadlineAt: number): Promise<bigint> {
  return (await deps.sumWindows([question], deadlineAt)).get(windowKey(question)) ?? 0n
}

/**
 * A page of a player's entries, newest first. `limit` (1 to 500, 50 if absent) and `after` (of the page before, absent for the
 * first) are texts of the query. Errors: InvalidInput.
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
