import { InvalidInput } from '../errors.ts'
import { calendarDay } from '../ingest/fields.ts'
import { type RecordOf, readRecord, required } from '../ingest/record.ts'
import { balanceAsOf, lateEndsOf } from '../points/lots.ts'
import { bookedDayAt } from '../points/programs.ts'
import type { Day, Moment, Points, UserId } from '../points/units.ts'
import { pageReaderOf } from '../store/db/reader.ts'
import type { Db } from '../store/db/transaction.ts'
import { everyPlayer } from './balances/every-player.ts'
import { readPrograms } from './programs/load-programs.ts'

/** The days of a span, both of them in it. */
export const daysFields = { from: required('from', calendarDay), to: required('to', calendarDay) }

export type DaySpan = RecordOf<typeof daysFields>

/** Points of a player that cannot be spent any more from a day on. */
export type Ending = Readonly<{ points: Points; on: Day }>

const LAST_DAY = '2999-12-31'

/** Reads a span; `at` is its own path. Errors: InvalidInput. */
export function readDaySpan(span: unknown, at: string): DaySpan {
  const read = readRecord(daysFields, span, at)
  assertDaySpan(read, at)
  return read
}

/** Errors: InvalidInput where nothing lies between two days. */
export function assertDaySpan({ from, to }: DaySpan, at: string): void {
  if (to < from) throw new InvalidInput(`${at}.to`, `expected a day that is not before ${from}, got "${to}"`)
}

/** Every player after one, with what of their points ends in a span of days, as things stand. Errors: Unavailable. */
export async function* listEndings(
  db: Db,
  { from, to, after = '' }: DaySpan & Readonly<{ after?: UserId }>,
  now: Moment,
): AsyncGenerator<Readonly<{ userId: UserId; endings: readonly Ending[] }>> {
  const reader = pageReaderOf(db)
  const programs = await readPrograms(reader)
  const today = bookedDayAt(programs, now)
  const lateEnds = lateEndsOf(programs)
  for await (const { userId, movements } of everyPlayer(reader, { after, day: LAST_DAY, knownAt: 'infinity' })) {
    const { lots } = balanceAsOf(today, movements, lateEnds)
    const endings = lots.flatMap(({ points, usableOn, expiresOn }) =>
      usableOn === undefined && from <= expiresOn && expiresOn <= to ? [{ points, on: expiresOn }] : [],
    )
    yield { userId, endings }
  }
}
