/*
 * Counters kept in memory and flushed every second: what feeds send, and how long requests take (docs/statistics.md).
 */

import { type Columns, columnLists, columnParts } from '../../database/db/columns.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { PlainDate } from '../../engine/points/units.ts'

/**
 * A daily count of what a token sent of one noun; `field` and `kind` say what was refused, and are empty for other measures. `updated-unchanged` are
 * those of `updated` that changed nothing, which are players (decision 45).
 */
export type FeedCount = Readonly<{
  day: PlainDate
  noun: string
  tokenId: string
  measure: 'requests' | 'inserted' | 'updated' | 'updated-unchanged' | 'skipped' | 'refused'
  field: string
  kind: string
  n: number
}>

/** When the last request arrived of which at least one record was accepted; RFC 3339. */
export type FeedUse = Readonly<{ noun: string; tokenId: string; lastGoodAt: string }>

/** Upper bounds of the histogram of request durations, in milliseconds; a last bucket counts the longer ones. */
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

/** `counts` has one bucket for each of TIME_BOUNDS_MS and one for longer requests; it includes the invalid, refused and failed ones. */
export type RouteTimes = Readonly<{ invalid: number; refused: number; failed: number; counts: readonly number[] }>
/** `starts` is the start of the minute (RFC 3339); `route` is a method and a path template. */
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

const addFeedsSql = sqlFile(import.meta.url, 'feed-days-add', columnParts(FEED_COLUMNS, []))
const sumFeedsSql = sqlFile(import.meta.url, 'feed-days-sum')
const refusalsSql = sqlFile(import.meta.url, 'feed-days-refusals')
const countFeedsSql = sqlFile(import.meta.url, 'feed-days-count')
const deleteFeedsSql = sqlFile(import.meta.url, 'feed-days-delete')
const raiseFeedsSql = sqlFile(import.meta.url, 'feed-last-raise')
const addTimesSql = sqlFile(import.meta.url, 'service-times-add', {
  ...columnParts(MINUTE_COLUMNS, []),
  counts: counts.join(', '),
  sums,
  added,
})
const sumTimesSql = sqlFile(import.meta.url, 'service-times-sum', { sums })
const deleteTimesSql = sqlFile(import.meta.url, 'service-times-delete')

/** Adds feed counts; each key must occur once. */
export async function addFeedCounts(tx: Queryable, feeds: readonly FeedCount[]): Promise<void> {
  if (feeds.length > 0) await tx.query(addFeedsSql, columnLists(FEED_COLUMNS, feeds))
}

/** Records when feeds last succeeded, and updates the usual gap between deliveries; each feed must occur once. */
export async function noteFeedUses(tx: Queryable, uses: readonly FeedUse[]): Promise<void> {
  if (uses.length === 0) return
  const column = (name: keyof FeedUse) => uses.map((use) => use[name])
  await tx.query(raiseFeedsSql, [column('noun'), column('tokenId'), column('lastGoodAt')])
}

/** What a token sends of one noun: counts over some days, when the last successful request arrived, and the usual gap between deliveries. */
export type Feed = Readonly<{
  noun: string
  token: string
  /** Null if the token no longer exists. */
  token_name: string | null
  last_good_at: string | null
  usual_gap_ms: number | null
  requests: number
  inserted: number
  updated: number
  skipped: number
  refused: number
  /** Those of `updated` that changed something. */
  changed: number
  /** Of `updated` and of `skipped`. */
  unchanged: number
}>

type Days = Readonly<{ from: PlainDate; to: PlainDate }>

/** Up to `limit` feeds, by noun and token. */
export async function listFeeds(db: Queryable, { from, to }: Days, limit: number): Promise<Feed[]> {
  return db.query<Feed>(sumFeedsSql, [from, to, limit])
}

/** How many records were refused for one field and kind of reason, with the first and last day. */
export type FeedRefusal = Readonly<{
  field: string
  kind: string
  n: number
  first_day: PlainDate
  last_day: PlainDate
}>

/** The most frequent refusals for a noun, up to `limit`. */
export async function listFeedRefusals(
  db: Queryable,
  noun: string,
  { from, to }: Days,
  limit: number,
): Promise<FeedRefusal[]> {
  return db.query<FeedRefusal>(refusalsSql, [noun, from, to, limit])
}

/** Adds request durations; each minute and route must occur once. */
export async function addServiceTimes(tx: Queryable, minutes: readonly MinuteTimes[]): Promise<void> {
  if (minutes.length > 0) await tx.query(addTimesSql, columnLists(MINUTE_COLUMNS, minutes))
}

/** Exactly one of `starts` and `route` is null: the line covers all routes of a minute or hour, or one route over the whole time. */
export type TimesLine = RouteTimes & Readonly<{ starts: string | null; route: string | null }>

/** Request durations since a moment (RFC 3339), by minute or hour and by route. */
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

/** Deletes minutes and hours (RFC 3339) older than the given bounds. */
export async function deleteServiceTimes(
  tx: Queryable,
  before: Readonly<{ minutes: string; hours: string }>,
): Promise<void> {
  await tx.query(deleteTimesSql, [before.minutes, before.hours])
}

/** Deletes at most `rowsMax` counts of feeds from before a day, oldest first. Returns how many. */
export async function deleteFeedDays(tx: Queryable, before: PlainDate, rowsMax: number): Promise<number> {
  const [done] = await tx.query<{ deleted: number }>(deleteFeedsSql, [before, rowsMax])
  return done!.deleted
}

/** How many feed counts are from before a day. */
export async function countFeedDays(db: Queryable, before: PlainDate): Promise<number> {
  return (await db.query<{ counts: number }>(countFeedsSql, [before]))[0]!.counts
}
