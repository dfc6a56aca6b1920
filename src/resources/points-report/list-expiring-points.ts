import { pageReaderOf } from '../../database/db/reader.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { Db } from '../../database/db/transaction.ts'
import { calendarDay } from '../../engine/ingest/fields.ts'
import { type RecordOf, readRecord, required } from '../../engine/ingest/record.ts'
import { dayAfter } from '../../engine/points/calendar.ts'
import { balanceAsOf } from '../../engine/points/lots/balance.ts'
import { expiryAssignmentsOf } from '../../engine/points/pending-and-expiry.ts'
import { postingDateAt } from '../../engine/points/programs.ts'
import type { Instant, PlainDate, Points, UserId } from '../../engine/points/units.ts'
import { InvalidInput } from '../../errors.ts'
import { readPrograms } from '../programs/stored-programs.ts'
import { pagesOfPlayers } from './every-player.ts'

const notToWriteToSql = sqlFile(import.meta.url, 'players-not-to-write-to')

/** The first and last day of a range, both inclusive. */
export const daysFields = { from: required('from', calendarDay), to: required('to', calendarDay) }

export type DayRange = RecordOf<typeof daysFields>

/** Points that can be spent until `lastDay`, and no longer from the day `on`. */
export type ExpiringPoints = Readonly<{ points: Points; on: PlainDate; lastDay: PlainDate }>

const LAST_DAY = '2999-12-31'

/** Reads a range of days; `path` is its path in the input. Errors: InvalidInput. */
export function readDayRange(range: unknown, path: string): DayRange {
  const read = readRecord(daysFields, range, path)
  assertDayRange(read, path)
  return read
}

/** Errors: InvalidInput if the range is empty. */
export function assertDayRange({ from, to }: DayRange, path: string): void {
  if (to < from) throw new InvalidInput(`${path}.to`, `expected a date not before ${from}, got "${to}"`)
}

/**
 * Every player after `after`, with the usable points that expire within a range of days, as things stand; none of players who have left or were erased, as
 * nothing is sent to them. Errors: Unavailable.
 */
export async function* listExpiringPoints(
  db: Db,
  { from, to, after = '' }: DayRange & Readonly<{ after?: UserId }>,
  now: Instant,
): AsyncGenerator<Readonly<{ userId: UserId; expiring: readonly ExpiringPoints[] }>> {
  const reader = pageReaderOf(db)
  const programs = await readPrograms(reader)
  const today = postingDateAt(programs, now)
  const expiryAssignments = expiryAssignmentsOf(programs)
  for await (const page of pagesOfPlayers(reader, { after, day: LAST_DAY, knownAt: 'infinity' })) {
    const players = page.map(({ userId, movements }) => {
      const { lots } = balanceAsOf(today, movements, expiryAssignments)
      const expiring = lots.flatMap(({ points, usableOn, expiresOn }) =>
        usableOn === undefined && from <= expiresOn && expiresOn <= to
          ? [{ points, on: expiresOn, lastDay: dayAfter(expiresOn, -1) }]
          : [],
      )
      return { userId, expiring }
    })
    const ids = players.flatMap(({ userId, expiring }) => (expiring.length > 0 ? [userId] : []))
    const silent = ids.length === 0 ? [] : await reader.query<{ user_id: UserId }>(notToWriteToSql, [ids])
    const left = new Set(silent.map(({ user_id }) => user_id))
    for (const player of players) yield left.has(player.userId) ? { ...player, expiring: [] } : player
  }
}
