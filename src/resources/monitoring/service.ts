import { findLastBackup } from '../../database/backup/last-backup.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { firstDayKept } from '../../engine/ingest/retention.ts'
import { shown } from '../../engine/ingest/shown.ts'
import type { PlainDate } from '../../engine/points/units.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { readStatisticsRange, type StatisticsRangeQuery } from '../../routing/day-range.ts'
import { readLimit } from '../../routing/pages.ts'
import type { ProcessMetrics } from '../../telemetry/process-metrics.ts'
import {
  countFeedDays,
  type Feed,
  type FeedRefusal,
  listFeedRefusals,
  listFeeds,
  sumServiceTimes,
  TIME_BOUNDS_MS,
  type TimesLine,
} from './store.ts'
import { listUnknownProducts, type StoredUnknownProduct } from './unknown-products.ts'

/** `from` and `to` as in StatisticsRangeQuery. */
export type DaysQuery = Pick<StatisticsRangeQuery, 'from' | 'to'>
type OfDays<T> = Readonly<{ asOf: string; from: PlainDate; to: PlainDate }> & T

const FEEDS_MAX = 10_000
const REFUSALS_MAX = 1_000
const RECORD_TYPES = ['players', 'products', 'orders', 'adjustments']

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
  if (!RECORD_TYPES.includes(noun)) throw new NotFound('not found')
  const asOf = deps.now().toISOString()
  const { from, to } = readStatisticsRange(deps, query)
  const refusals = await listFeedRefusals(readerOf(deps.db, deadlineAt), noun, { from, to }, REFUSALS_MAX)
  return { asOf, from, to, refusals }
}

/** Products named in orders or predictions but missing from the catalogue, most frequent first; `limit` as in pages. Errors: InvalidInput, Unavailable. */
export async function showUnknownProducts(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<Readonly<{ asOf: string; products: readonly StoredUnknownProduct[] }>> {
  const asOf = deps.now().toISOString()
  return { asOf, products: await listUnknownProducts(readerOf(deps.db, deadlineAt), readLimit(limit)) }
}

/** The last `hours`, at most 2,160, else the last `minutes`, at most 4,320; by default the last 60 minutes. Both are checked if both are given. */
export type ServiceQuery = Readonly<{ minutes?: string | undefined; hours?: string | undefined }>

/** A histogram of request durations by TIME_BOUNDS_MS; the percentiles are upper bounds in ms, null if above the last bound. */
export type Times = Omit<TimesLine, 'starts' | 'route'> &
  Readonly<{ n: number; p50: number | null; p95: number | null; p99: number | null }>

export type ServiceReport = Readonly<{
  asOf: string
  since: string
  per: 'minute' | 'hour'
  routes: readonly (Times & Readonly<{ route: string }>)[]
  times: readonly (Times & Readonly<{ at: string }>)[]
  /** Metrics of the process that answers. */
  process: ProcessMetrics
  /** Undefined if there was none. */
  lastBackupAt: string | undefined
}>

const MINUTE_MS = 60_000
const SPANS = {
  minutes: { per: 'minute', ms: MINUTE_MS, max: 4_320 },
  hours: { per: 'hour', ms: 60 * MINUTE_MS, max: 2_160 },
} as const

/** How requests were answered and how long they took; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function showService(deps: Deps, query: ServiceQuery, deadlineAt: number): Promise<ServiceReport> {
  const now = deps.now()
  const minutes = readCount('minutes', query.minutes ?? '60')
  const name = query.hours === undefined ? 'minutes' : 'hours'
  const count = query.hours === undefined ? minutes : readCount('hours', query.hours)
  const { per, ms } = SPANS[name]
  // Includes the current, incomplete one.
  const since = new Date((Math.floor(now.getTime() / ms) - count + 1) * ms).toISOString()
  const reader = readerOf(deps.db, deadlineAt)
  const lines = await sumServiceTimes(reader, per, since)
  return {
    asOf: now.toISOString(),
    since,
    per,
    routes: lines.flatMap(({ route, ...line }) => (route === null ? [] : [{ route, ...timesOf(line) }])),
    times: lines.flatMap(({ starts, ...line }) => (starts === null ? [] : [{ at: starts, ...timesOf(line) }])),
    process: deps.processMetrics(),
    lastBackupAt: await findLastBackup(reader),
  }
}

function readCount(name: keyof typeof SPANS, text: string): number {
  const { max } = SPANS[name]
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max)
    throw new InvalidInput(`query.${name}`, `expected an integer between 1 and ${max}, got ${shown(text)}`)
  return count
}

function timesOf({ invalid, refused, failed, counts }: Omit<TimesLine, 'starts' | 'route'>): Times {
  const n = counts.reduce((sum, count) => sum + count, 0)
  return {
    n,
    invalid,
    refused,
    failed,
    p50: boundOf(counts, n, 50),
    p95: boundOf(counts, n, 95),
    p99: boundOf(counts, n, 99),
    counts,
  }
}

/** The first bound that covers this percentage of the requests; null if none does. */
function boundOf(counts: readonly number[], n: number, percent: number): number | null {
  let seen = 0
  const place = counts.findIndex((count) => {
    seen += count
    return seen * 100 >= n * percent
  })
  return TIME_BOUNDS_MS[place] ?? null
}

/** How many counts of sources would be deleted if they were kept for so long, a value of the setting `sources.keep`. Errors: Unavailable. */
export async function countFeedsBeyond(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  keep: string,
  deadlineAt: number,
): Promise<number> {
  const first = firstDayKept(keep, now().toISOString().slice(0, 10))
  return first === undefined ? 0 : countFeedDays(readerOf(db, deadlineAt), first)
}
