import { InvalidInput } from '../errors.ts'
import { shown } from '../ingest/shown.ts'
import type { Measure } from '../points/ledger/tally-entries.ts'
import { dayAfter, isDay } from '../points/local-time.ts'
import { bookedDayAt } from '../points/programs.ts'
import type { Day } from '../points/units.ts'
import { readerOf } from '../store/db/reader.ts'
import { listStatistics, type StatisticsBasis, type StatisticsLine } from '../store/statistics.ts'
import type { Deps } from './deps.ts'

/** Days from the first to the last, by the day of the order or of the recording; `at` is the moment of the answer. */
export type StatisticsOfDays = Readonly<{
  at: string
  basis: StatisticsBasis
  from: Day
  to: Day
  lines: readonly StatisticsLine[]
}>

const DAYS = 30
const DAYS_MAX = 400

/**
 * The figures of some measures day by day; see docs/statistics.md. `from` and `to` are texts of the query: days, the last 30 if absent, 400 at
 * most; `basis` is `ordered` (if absent) or `booked`. Errors: InvalidInput, Unavailable.
 */
export async function showStatistics(
  deps: Deps,
  measures: readonly Measure[],
  query: Readonly<{ from?: string | undefined; to?: string | undefined; basis?: string | undefined }>,
  deadlineAt: number,
): Promise<StatisticsOfDays> {
  const at = deps.now().toISOString()
  const { basis = 'ordered' } = query
  if (basis !== 'ordered' && basis !== 'booked')
    throw new InvalidInput('query.basis', `expected ordered or booked, got ${shown(basis)}`)
  const to = readDay('to', query.to) ?? bookedDayAt(deps.programs(), at)
  const from = readDay('from', query.from) ?? dayAfter(to, 1 - DAYS)
  if (from > to || from < dayAfter(to, 1 - DAYS_MAX))
    throw new InvalidInput('query.from', `expected a day up to ${to}, at most ${DAYS_MAX} days with it, got ${from}`)
  const lines = await listStatistics(readerOf(deps.db, deadlineAt), { basis, from, to, measures })
  return { at, basis, from, to, lines }
}

function readDay(name: 'from' | 'to', text: string | undefined): Day | undefined {
  if (text === undefined) return undefined
  if (!isDay(text) || text < '1900')
    throw new InvalidInput(`query.${name}`, `expected a day like 2026-01-31, got ${shown(text)}`)
  return text
}
