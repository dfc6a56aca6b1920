import { readerOf } from '../../database/db/reader.ts'
import type { Day } from '../../engine/points/units.ts'
import { NotFound } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import { readStatisticsRange, type StatisticsRangeQuery } from '../../shared/routes/day-range.ts'
import { type Feed, type FeedRefusal, listFeedRefusals, listFeeds } from './store.ts'

/** `from` and `to` as in StatisticsRangeQuery. */
export type DaysQuery = Pick<StatisticsRangeQuery, 'from' | 'to'>
type OfDays<T> = Readonly<{ asOf: string; from: Day; to: Day }> & T

const FEEDS_MAX = 10_000
const REFUSALS_MAX = 1_000
const NOUNS = ['players', 'products', 'orders', 'adjustments']

/** What each token sends, by noun; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function showFeeds(
  deps: Deps,
  query: DaysQuery,
  deadlineAt: number,
): Promise<OfDays<{ feeds: readonly Feed[] }>> {
  const asOf = deps.now().toISOString()
  const { from, to } = readStatisticsRange(deps, query)
  return { asOf, from, to, feeds: await listFeeds(readerOf(deps.db, deadlineAt), { from, to }, FEEDS_MAX) }
}

/** Why records of one noun were refused: the 1,000 most frequent reasons. Errors: NotFound, InvalidInput, Unavailable. */
export async function showFeedRefusals(
  deps: Deps,
  noun: string,
  query: DaysQuery,
  deadlineAt: number,
): Promise<OfDays<{ refusals: readonly FeedRefusal[] }>> {
  if (!NOUNS.includes(noun)) throw new NotFound('there is nothing at this address')
  const asOf = deps.now().toISOString()
  const { from, to } = readStatisticsRange(deps, query)
  const refusals = await listFeedRefusals(readerOf(deps.db, deadlineAt), noun, { from, to }, REFUSALS_MAX)
  return { asOf, from, to, refusals }
}
