/*
 * What the service counts in memory and adds every second: what feeds send, and how long requests take (docs/statistics.md).
 */
import type { Day } from '../points/units.ts'
import { type Columns, columnLists, columnParts } from './db/columns.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

/** So many of a noun that a token has sent on a day; `field` and `kind` say what was refused, and are empty for other measures. */
export type FeedCount = Readonly<{
  day: Day
  noun: string
  tokenId: string
  measure: 'requests' | 'inserted' | 'updated' | 'skipped' | 'refused'
  field: string
  kind: string
  n: number
}>

/** When the last request came of which not every record was refused; RFC 3339. */
export type FeedUse = Readonly<{ noun: string; tokenId: string; lastGoodAt: string }>

/** Requests of a minute, by how long they took: in up to so many milliseconds, the last in more than all of these. */
export const TIME_BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const
const TIME_COLUMNS = [
  'ms_1',
  'ms_2_5',
  'ms_5',
  'ms_10',
  'ms_25',
  'ms_50',
  'ms_100',
  'ms_250',
  'ms_500',
  's_1',
  's_2_5',
  's_5',
  's_10',
  'longer',
] as const

/** `counts` has a number for each of TIME_BOUNDS_MS, and one for those that took longer; the others are among them. */
export type RouteTimes = Readonly<{ invalid: number; refused: number; failed: number; counts: readonly number[] }>
/** `starts` is the beginning of the minute, RFC 3339; `route` is a method and a path with its parameters' names. */
export type MinuteTimes = RouteTimes & Readonly<{ starts: string; route: string }>

const FEED_COLUMNS: Columns<FeedCount> = {
  day: ['date', ({ day }) => day],
  noun: ['text', ({ noun }) => noun],
  token_id: ['text', ({ tokenId }) => tokenId],
  measure: ['text', ({ measure }) => measure],
  field: ['text', ({ field }) => field],
  kind: ['text', ({ kind }) => kind],
  n: ['bigint', ({ n }) => n],
}
const COUNT_COLUMNS: Columns<RouteTimes> = {
  invalid: ['bigint', ({ invalid }) => invalid],
  refused: ['bigint', ({ refused }) => refused],
  failed: ['bigint', ({ failed }) => failed],
  ...Object.fromEntries(
    TIME_COLUMNS.map((name, index) => [name, ['bigint', ({ counts }: RouteTimes) => counts[index]!] as const]),
  ),
}
const MINUTE_COLUMNS: Columns<MinuteTimes> = {
  starts: ['timestamptz', ({ starts }) => starts],
  route: ['text', ({ route }) => route],
  ...COUNT_COLUMNS,
}

const counts = Object.keys(COUNT_COLUMNS)
const sums = counts.map((name) => `sum(${name})::bigint as ${name}`).join(', ')
const added = counts.map((name) => `${name} = s.${name} + excluded.${name}`).join(', ')

const addFeedsSql = sqlFile('feed-days-add', columnParts(FEED_COLUMNS, []))
const sumFeedsSql = sqlFile('feed-days-sum')
const refusalsSql = sqlFile('feed-days-refusals')
const deleteFeedsSql = sqlFile('feed-days-delete')
const raiseFeedsSql = sqlFile('feed-last-raise')
const addTimesSql = sqlFile('service-times-add', {
  ...columnParts(MINUTE_COLUMNS, []),
  counts: counts.join(', '),
  sums,
  added,
})
const sumTimesSql = sqlFile('service-times-sum', { sums })
const deleteTimesSql = sqlFile('service-times-delete')

/** Adds what feeds have sent, each line once. */
export async function addFeedCounts(tx: Queryable, feeds: readonly FeedCount[]): Promise<void> {
  if (feeds.length > 0) await tx.query(addFeedsSql, columnLists(FEED_COLUMNS, feeds))
}

/** Notes when feeds were last good, each once, and how often they are. */
export async function noteFeedUses(tx: Queryable, uses: readonly FeedUse[]): Promise<void> {
  if (uses.length === 0) return
  const column = (name: keyof FeedUse) => uses.map((use) => use[name])
  await tx.query(raiseFeedsSql, [column('noun'), column('tokenId'), column('lastGoodAt')])
}

/** What a token sends of a noun: counts of some days, when the last good request came and how long it usually takes to the next. */
export type Feed = Readonly<{
  noun: string
  token: string
  /** Null where there is no such token any more. */
  token_name: string | null
  last_good_at: string | null
  usual_gap_ms: number | null
  requests: number
  inserted: number
  updated: number
  skipped: number
  refused: number
}>

type Days = Readonly<{ from: Day; to: Day }>

/** The feeds by noun and token, `limit` at most. */
export async function listFeeds(db: Queryable, { from, to }: Days, limit: number): Promise<Feed[]> {
  return db.query<Feed>(sumFeedsSql, [from, to, limit])
}

/** How many records were refused at a field for a reason, and on which days first and last. */
export type FeedRefusal = Readonly<{ field: string; kind: string; n: number; first_day: Day; last_day: Day }>

/** What was refused of a noun, most first, `limit` at most. */
export async function listFeedRefusals(
  db: Queryable,
  noun: string,
  { from, to }: Days,
  limit: number,
): Promise<FeedRefusal[]> {
  return db.query<FeedRefusal>(refusalsSql, [noun, from, to, limit])
}

/** Adds how long requests took, each minute and route once. */
export async function addServiceTimes(tx: Queryable, minutes: readonly MinuteTimes[]): Promise<void> {
  if (minutes.length > 0) await tx.query(addTimesSql, columnLists(MINUTE_COLUMNS, minutes))
}

/** Either `starts` or `route` is null: all routes of a minute or hour, or a route from the moment asked for. */
export type TimesLine = RouteTimes & Readonly<{ starts: string | null; route: string | null }>

/** How long requests took since a moment (RFC 3339): by minute or hour, and by route. */
export async function sumServiceTimes(db: Queryable, per: 'minute' | 'hour', since: string): Promise<TimesLine[]> {
  const rows = await db.query<Record<string, number> & { starts: string | null; route: string | null }>(sumTimesSql, [
    per,
    since,
  ])
  return rows.map(({ starts, route, invalid = 0, refused = 0, failed = 0, ...times }) => ({
    starts,
    route,
    invalid,
    refused,
    failed,
    counts: TIME_COLUMNS.map((name) => times[name]!),
  }))
}

/** Deletes counts from before: minutes, hours (RFC 3339) and days of feeds. */
export async function deleteOldActivity(
  tx: Queryable,
  before: Readonly<{ minutes: string; hours: string; days: Day }>,
): Promise<void> {
  await tx.query(deleteTimesSql, [before.minutes, before.hours])
  await tx.query(deleteFeedsSql, [before.days])
}
