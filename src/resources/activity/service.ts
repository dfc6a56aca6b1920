import { readerOf } from '../../database/db/reader.ts'
import { shown } from '../../engine/ingest/shown.ts'
import { InvalidInput } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Vitals } from '../../telemetry/vitals.ts'
import { sumServiceTimes, TIME_BOUNDS_MS, type TimesLine } from './store.ts'

/** The last `minutes`, at most 4,320, or the last `hours`, at most 2,160; by default the last 60 minutes. */
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
  /** Vitals of the process that answers. */
  process: Vitals
}>

const MINUTE_MS = 60_000
const SPANS = {
  minutes: { per: 'minute', ms: MINUTE_MS, max: 4_320 },
  hours: { per: 'hour', ms: 60 * MINUTE_MS, max: 2_160 },
} as const

/** How requests were answered and how long they took; see docs/statistics.md. Errors: InvalidInput, Unavailable. */
export async function showService(deps: Deps, query: ServiceQuery, deadlineAt: number): Promise<ServiceReport> {
  const now = deps.now()
  const name = query.hours === undefined ? 'minutes' : 'hours'
  const { per, ms, max } = SPANS[name]
  const count = readCount(name, query[name] ?? '60', max)
  // Includes the current, incomplete one.
  const since = new Date((Math.floor(now.getTime() / ms) - count + 1) * ms).toISOString()
  const lines = await sumServiceTimes(readerOf(deps.db, deadlineAt), per, since)
  return {
    asOf: now.toISOString(),
    since,
    per,
    routes: lines.flatMap(({ route, ...line }) => (route === null ? [] : [{ route, ...timesOf(line) }])),
    times: lines.flatMap(({ starts, ...line }) => (starts === null ? [] : [{ at: starts, ...timesOf(line) }])),
    process: deps.vitals(),
  }
}

function readCount(name: string, text: string, max: number): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max)
    throw new InvalidInput(`query.${name}`, `expected a whole number from 1 to ${max}, got ${shown(text)}`)
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
