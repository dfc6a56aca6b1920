/*
 * What all players together can spend and what becomes of it, computed player by player (decision 143).
 */
import { InvalidInput } from '../errors.ts'
import { calendarDay, moment } from '../ingest/fields.ts'
import { optional, readRecord, required } from '../ingest/record.ts'
import { dayAfter } from '../points/local-time.ts'
import { balanceOn, lateEndsOf } from '../points/lots.ts'
import { bookedDayAt } from '../points/programs.ts'
import { NEVER } from '../points/terms.ts'
import type { Day, Moment, Points, UserId } from '../points/units.ts'
import { pageReaderOf } from '../store/db/reader.ts'
import type { Db } from '../store/db/transaction.ts'
import { type KindMovement, listPlayerMovements } from '../store/histories.ts'
import { readPrograms } from './load-programs.ts'

const PAGE_PLAYERS = 500

/**
 * `opening + issued + redeemed + adjusted + reinstated - expired = closing`, where opening and closing are what is outstanding at the end of a day:
 * what can be spent, what waits, less what is owed. `ends`: what of the closing ends in which month (`never`: nothing says when).
 */
export type PointsReport = Readonly<{
  players: number
  opening: Points
  issued: Points
  redeemed: Points
  adjusted: Points
  reinstated: Points
  expired: Points
  closing: Points
  pending: Points
  owed: Points
  ends: ReadonlyMap<string, Points>
}>

const spanFields = { from: required('from', calendarDay), to: required('to', calendarDay) }
const reportFields = { ...spanFields, knownAt: optional('known_at', moment, undefined) }

type Sums = { -readonly [Name in Exclude<keyof PointsReport, 'ends'>]: PointsReport[Name] }

/**
 * Reports the points of all players over a span of days. Late entries move earlier days: with `known_at` a report stays what it was.
 * `onProgress` is called with how many players are done. Errors: InvalidInput for the query; Unavailable.
 */
export async function reportPoints(
  db: Db,
  query: Readonly<{ from: string; to: string; known_at?: string | undefined }>,
  onProgress: (players: number) => void,
): Promise<PointsReport> {
  const { from, to, knownAt = 'infinity' } = readSpanOf(readRecord(reportFields, query, 'query'))
  const lateEnds = lateEndsOf(await readPrograms(pageReaderOf(db)))
  const sums: Sums = {
    ...{ players: 0, opening: 0n, issued: 0n, redeemed: 0n, adjusted: 0n, reinstated: 0n, expired: 0n },
    ...{ closing: 0n, pending: 0n, owed: 0n },
  }
  const ends = new Map<string, Points>()
  const eve = dayAfter(from, -1)
  for await (const [, movements] of everyPlayer(db, to, knownAt)) {
    const before = balanceOn(
      eve,
      movements.filter(({ day }) => day < from),
      lateEnds,
    )
    const after = balanceOn(to, movements, lateEnds)
    sums.players += 1
    sums.opening += before.available + before.pending
    sums.closing += after.available + after.pending
    sums.expired += after.expired - before.expired
    sums.pending += after.pending
    sums.owed += after.available < 0n ? -after.available : 0n
    for (const { day, kind, given, spent } of movements) if (day >= from) sums[SUM_OF[kind]] += given - spent
    for (const { points, expiresOn } of after.lots) {
      const month = expiresOn === NEVER ? 'never' : dayAfter(expiresOn, -1).slice(0, 7)
      ends.set(month, (ends.get(month) ?? 0n) + points)
    }
    onProgress(sums.players)
  }
  return { ...sums, ends: new Map([...ends].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

const SUM_OF = {
  order: 'issued',
  referral: 'issued',
  adjustment: 'adjusted',
  redemption: 'redeemed',
  reinstated: 'reinstated',
} as const satisfies Record<KindMovement['kind'], keyof Sums>

/** Points of a player that cannot be spent any more from a day on. */
export type Ending = Readonly<{ userId: UserId; points: Points; on: Day }>

/** Lists whose points end in a span of days, as they stand today, by player. Errors: InvalidInput for the query; Unavailable. */
export async function* listEndings(
  db: Db,
  query: Readonly<{ from: string; to: string }>,
  now: Moment,
): AsyncGenerator<Ending> {
  const { from, to } = readSpanOf(readRecord(spanFields, query, 'query'))
  const programs = await readPrograms(pageReaderOf(db))
  const today = bookedDayAt(programs, now)
  const lateEnds = lateEndsOf(programs)
  for await (const [userId, movements] of everyPlayer(db, '9999-12-31', 'infinity')) {
    const spentLast = movements.reduce((latest, { day, spent }) => (spent > 0n && day > latest ? day : latest), today)
    for (const { points, usableOn, expiresOn } of balanceOn(spentLast, movements, lateEnds).lots)
      if (usableOn === undefined && from <= expiresOn && expiresOn <= to) yield { userId, points, on: expiresOn }
  }
}

function readSpanOf<Span extends Readonly<{ from: Day; to: Day }>>(span: Span): Span {
  if (span.to < span.from) throw new InvalidInput('query.to', `expected a day that is not before ${span.from}`)
  return span
}

async function* everyPlayer(
  db: Db,
  day: Day,
  knownAt: string,
): AsyncGenerator<readonly [UserId, readonly KindMovement[]]> {
  const reader = pageReaderOf(db)
  for (let after: UserId | undefined = ''; after !== undefined; ) {
    const page: ReadonlyMap<UserId, readonly KindMovement[]> = await listPlayerMovements(reader, {
      ...{ after, limit: PAGE_PLAYERS, day, knownAt },
    })
    yield* page
    after = page.size < PAGE_PLAYERS ? undefined : [...page.keys()].at(-1)
  }
}
