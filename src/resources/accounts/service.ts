import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { calendarDay, timestamp } from '../../engine/ingest/fields.ts'
import { optional, readRecord } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { heldMovements, sumSpent } from '../../engine/points/ledger/holds.ts'
import {
  historyKey,
  type PlayerHistory,
  toBalanceQuery,
  type WindowQuery,
  windowKey,
} from '../../engine/points/ledger/snapshot.ts'
import { levelChange, windowStart } from '../../engine/points/levels.ts'
import { type Balance, balanceOn, dayOfView } from '../../engine/points/lots/balance.ts'
import type { Movement } from '../../engine/points/lots/movement.ts'
import type { LevelChange } from '../../engine/points/model.ts'
import { expiryAssignmentsOf } from '../../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { countsDays, postingDateAt, programAt } from '../../engine/points/programs.ts'
import { NotFound } from '../../errors.ts'
import { listAccounts } from '../../ledger/accounts.ts'
import { assertKnownAt } from '../../ledger/assert-known-at.ts'
import { listEntries, type StoredEntry } from '../../ledger/entries.ts'
import { listHistories, listMovements } from '../../ledger/histories.ts'
import { type Page, type PageQuery, readLimit, refuseCursor } from '../../routing/pages.ts'
import { selectProgramsKnownAt } from '../programs/stored-programs.ts'

/**
 * Where a player stands: the points that can be spent, those that count for the level, and the level. `balance` is present if balances depend
 * on days or another day was asked for; everything recorded before `asOf` is in `points` and `balance`.
 */
export type AccountSummary = Readonly<{
  asOf: string
  name: string
  points: bigint
  levelPoints: bigint
  level: string
  next: LevelChange['next']
  balance?: SummaryBalance
}>

export type SummaryBalance = Balance & Readonly<{ held: bigint; booked: bigint }>

/** Query parameters. `at`: the day of the balance, by default today; `known_at`: count only what was recorded by that moment. */
export type AccountSummaryQuery = Readonly<{ at?: string; known_at?: string }>

const queryFields = {
  day: optional('at', calendarDay, undefined),
  knownAt: optional('known_at', timestamp, undefined),
}

/**
 * Shows where a player stands under the program in effect now. With `at` or `known_at` the balance is that of another day, or as known then; the
 * level is always the current one. `player` is an id or a handle. Errors: InvalidInput for the query; NotFound for an unknown player; Unavailable.
 */
export async function showAccountSummary(
  deps: Deps,
  player: string,
  query: AccountSummaryQuery,
  deadlineAt: number,
): Promise<AccountSummary> {
  const reader = readerOf(deps.db, deadlineAt)
  const userId = deps.handles.idIn(player)
  const received = deps.now()
  const requested = readQuery(query, received)
  const [stored] = await listAccounts(reader, [userId])
  if (stored === undefined) throw new NotFound(`player ${shortened(player)} not found`)
  const now = received.toISOString()
  const programs = deps.programs()
  const published = programAt(programs, now)
  if (published === undefined) throw new NotFound('no program is in effect')
  const { counts, ladder } = published.program.levels
  const from = windowStart(counts, now)
  const levelPoints =
    from === undefined
      ? stored.account.levelPoints
      : await sumOf(deps, { userId, orderId: '', from, to: now }, deadlineAt)
  const { before, next } = levelChange(ladder, levelPoints, 0n)
  const summary = { asOf: now, name: stored.name, levelPoints, level: before, next }
  if (!countsDays(programs) && requested === undefined) return { ...summary, points: stored.account.points }
  const { knownAt } = requested ?? {}
  const programsThen = knownAt === undefined ? programs : await selectProgramsKnownAt(reader, programs, knownAt)
  const balance = balanceFor(requested, await readHistory(reader, userId, requested), programsThen, now)
  return { ...summary, asOf: knownAt ?? now, points: balance.available, balance }
}

type RequestedView = Readonly<{ day: string | undefined; knownAt: string | undefined }>

function readQuery(query: AccountSummaryQuery, received: Date): RequestedView | undefined {
  const { day, knownAt } = readRecord(queryFields, query, 'query')
  if (day === undefined && knownAt === undefined) return undefined
  assertKnownAt('query.known_at', knownAt, received)
  return { day, knownAt }
}

/** Computes the balance. If a day is asked for, entries of later days are left out, as they had not happened yet. */
function balanceFor(
  requested: RequestedView | undefined,
  { movements, redemptions }: Pick<PlayerHistory, 'movements' | 'redemptions'>,
  programs: readonly PublishedProgram[],
  now: string,
): SummaryBalance {
  const { knownAt } = requested ?? {}
  const day = requested?.day ?? (knownAt === undefined ? undefined : postingDateAt(programs, knownAt))
  const isCounted = (movement: Movement) => day === undefined || movement.day <= day
  const holds = heldMovements(redemptions, now).filter(isCounted)
  const held = sumSpent(holds)
  const counted = [...movements.filter(isCounted), ...holds]
  const balance = balanceOn(
    day ?? dayOfView(postingDateAt(programs, now), counted),
    counted,
    expiryAssignmentsOf(programs),
  )
  return { ...balance, held, booked: balance.available + held + balance.pending + balance.expired }
}

/** Reads the player's history. For what was known at a past moment it has no holds, because they leave no trace. */
async function readHistory(
  reader: Queryable,
  userId: string,
  requested: RequestedView | undefined,
): Promise<Pick<PlayerHistory, 'movements' | 'redemptions'>> {
  if (requested?.knownAt !== undefined)
    return { movements: await listMovements(reader, userId, requested.knownAt), redemptions: [] }
  const ledgerQuery = toBalanceQuery(userId)
  return (await listHistories(reader, [ledgerQuery])).get(historyKey(ledgerQuery))!
}

async function sumOf(deps: Deps, ledgerQuery: WindowQuery, deadlineAt: number): Promise<bigint> {
  return (await deps.sumWindows([ledgerQuery], deadlineAt)).get(windowKey(ledgerQuery)) ?? 0n
}

/** Above every sequence number: the first page begins with the newest entry. */
const NEWEST = 2n ** 63n - 1n

/** Shows a page of a player's entries, newest first. Errors: InvalidInput, Unavailable. */
export async function showEntries(
  deps: Deps,
  userId: string,
  query: PageQuery,
  deadlineAt: number,
): Promise<Page<StoredEntry>> {
  const limit = readLimit(query.limit)
  const before = readCursor(query.after)
  const entries = await listEntries(readerOf(deps.db, deadlineAt), userId, { before, limit: limit + 1 })
  const rows = entries.slice(0, limit)
  return { rows, after: entries.length > limit ? rows.at(-1)!.seq : null }
}

function readCursor(text: string | undefined): bigint {
  if (text === undefined) return NEWEST
  if (!/^[1-9]\d{0,17}$/.test(text)) refuseCursor(text)
  return BigInt(text)
}
