/*
 * Points given to players, spent and held: what balances are computed from.
 */

import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { sumSpent } from '../engine/points/ledger/holds.ts'
import { type HistoryQuery, historyKey, type OwnDebit, type PlayerHistory } from '../engine/points/ledger/snapshot.ts'
import { debitOn, type Movement } from '../engine/points/lots/movement.ts'
import type { Entry } from '../engine/points/model.ts'
import type { Instant, PlainDate, Points, UserId } from '../engine/points/units.ts'
import { type RedemptionJson, redemptionOf } from './stored-redemptions.ts'

const movementsSql = sqlFile(import.meta.url, 'entries-movements')
const historiesSql = sqlFile(import.meta.url, 'histories')
const ofPlayersSql = sqlFile(import.meta.url, 'points-of-players')
const accountIdsSql = sqlFile(import.meta.url, 'account-ids')
const ofAccountsSql = sqlFile(import.meta.url, 'points-of-accounts')

/** Movements in the format of the fragment `packed-movements`; null if there are none. */
type PackedMovements = string | null

type SpentText = readonly [day: PlainDate, points: string]

type HistoryRow = Readonly<{
  place: number
  given: readonly [movements: PackedMovements, reinstated: string | null]
  own: readonly SpentText[] | null
  redemptions: readonly RedemptionJson[] | null
}>

/** A player's entries recorded up to `knownAt` (`infinity`: all), summed by day and terms. */
export async function listMovements(db: Queryable, userId: string, knownAt: string): Promise<Movement[]> {
  const [row] = await db.query<{ movements: PackedMovements }>(movementsSql, [userId, knownAt])
  return movementsIn(row!.movements)
}

/** The histories that were asked for, keyed by `historyKey`. */
export async function listHistories(
  db: Queryable,
  queries: readonly HistoryQuery[],
): Promise<ReadonlyMap<string, PlayerHistory>> {
  if (queries.length === 0) return new Map()
  const rows = await db.query<HistoryRow>(historiesSql, [
    queries.map(({ userId }) => userId),
    queries.map(({ orderId }) => orderId),
    queries.map(({ redemptionId }) => redemptionId),
  ])
  return new Map(
    rows.map(({ place, given: [movements, reinstated], own, redemptions }) => {
      const query = queries[place - 1]!
      const history = {
        movements: movementsIn(movements),
        reinstated: BigInt(reinstated ?? 0),
        own: debitsByDay(own ?? []),
        redemptions: (redemptions ?? []).map((json) => redemptionOf(query.userId, json)),
      }
      return [historyKey(query), history]
    }),
  )
}

/** A movement with the kind of its entries. `program` is the version that computed the order or the redemption, null for other entries. */
export type KindMovement = Movement & Readonly<{ kind: Entry['kind']; program: number | null }>

/** A player's movements; empty if nothing was given or spent. */
export type PlayerMovements = Readonly<{ userId: UserId; movements: readonly KindMovement[] }>

/** The movements of the next `limit` players after `after`, up to a day, as known at a moment (`infinity`: all). */
export async function listPlayerMovements(
  db: Queryable,
  { after, limit, day, knownAt }: Readonly<{ after: UserId; limit: number; day: PlainDate; knownAt: string }>,
): Promise<PlayerMovements[]> {
  type Row = Readonly<{
    user_id: string
    kind: Entry['kind'] | null
    program: number | null
    movements: PackedMovements
  }>
  const rows = await db.query<Row>(ofPlayersSql, [after, limit, day, knownAt])
  const players = new Map<UserId, KindMovement[]>()
  for (const { user_id: userId, kind, program, movements } of rows) {
    const collected = players.get(userId) ?? []
    if (kind !== null) for (const movement of movementsIn(movements)) collected.push({ ...movement, kind, program })
    players.set(userId, collected)
  }
  return [...players].map(([userId, movements]) => ({ userId, movements }))
}

/**
 * One player's movements, with held points counted as spent, and their sum; when the first of these holds lapses, and the moment of the player's
 * latest order.
 */
export type AccountHistory = Readonly<{
  userId: UserId
  movements: readonly Movement[]
  held: Points
  lapsesAt: Instant | undefined
  orderedAt: Instant | undefined
}>

/** The ids of the next `limit` accounts after a user id, in their order. */
export async function listAccountIds(db: Queryable, after: UserId, limit: number): Promise<UserId[]> {
  const rows = await db.query<{ user_id: UserId }>(accountIdsSql, [after, limit])
  return rows.map(({ user_id }) => user_id)
}

/** The histories of these players, with the holds that are open at `at`. */
export async function listAccountHistories(
  db: Queryable,
  userIds: readonly UserId[],
  at: Instant,
): Promise<AccountHistory[]> {
  type Row = Readonly<{
    user_id: UserId
    movements: PackedMovements
    holds: readonly SpentText[] | null
    lapses_at: Instant | null
    ordered_at: Instant | null
  }>
  const rows = await db.query<Row>(ofAccountsSql, [userIds, at])
  return rows.map(({ user_id: userId, movements, holds, lapses_at, ordered_at }) => {
    const held = (holds ?? []).map(([day, points]) => debitOn(day, BigInt(points)))
    return {
      userId,
      movements: [...movementsIn(movements), ...held],
      held: sumSpent(held),
      lapsesAt: lapses_at ?? undefined,
      orderedAt: ordered_at ?? undefined,
    }
  })
}

function debitsByDay(spent: readonly SpentText[]): OwnDebit[] {
  const sums = new Map<PlainDate, Points>()
  for (const [day, points] of spent) sums.set(day, (sums.get(day) ?? 0n) + BigInt(points))
  return [...sums].map(([day, points]) => ({ day, points }))
}

/** The movements in a text of the fragment `packed-movements`; null: none. */
export function movementsIn(packed: PackedMovements): Movement[] {
  const movements: Movement[] = []
  const text = packed ?? ''
  // By position: splitting it into words takes twice as long (bench/NOTES.md).
  for (let at = 0; at < text.length; ) {
    const usable = text.indexOf(' ', at) + 1
    const expires = text.indexOf(' ', usable) + 1
    const flags = text.indexOf(' ', expires) + 1
    const comma = text.indexOf(',', flags)
    const end = comma < 0 ? text.length : comma
    const [day, usableOn, expiresOn] = [
      text.slice(at, usable - 1),
      text.slice(usable, expires - 1),
      text.slice(expires, flags - 1),
    ]
    movements.push(movementOf(day, usableOn, expiresOn, text[flags]!, text[flags + 2]!, text.slice(flags + 4, end)))
    at = end + 1
  }
  return movements
}

/** The movement in the columns of `movement.fragment.sql`, given as strings. */
export function movementOf(
  day: PlainDate,
  usableOn: PlainDate,
  expiresOn: PlainDate,
  slides: string,
  isSpent: string,
  text: string,
): Movement {
  const [points, spends] = [BigInt(text), isSpent === 't']
  return { day, usableOn, expiresOn, slides: slides === 't', given: spends ? 0n : points, spent: spends ? -points : 0n }
}
