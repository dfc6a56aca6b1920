/*
 * What was given to players, spent and held: what balances are computed of.
 */
import { type HistoryQuestion, historyKey, type OwnDebit, type PlayerHistory } from '../points/ledger/snapshot.ts'
import type { Movement } from '../points/lots.ts'
import type { Entry, Redemption } from '../points/model.ts'
import type { Day, Points, UserId } from '../points/units.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import { type RedemptionJson, redemptionOf } from './redemptions.ts'

const movementsSql = sqlFile('entries-movements')
const historiesSql = sqlFile('histories')
const ofPlayersSql = sqlFile('points-of-players')
const ofAccountsSql = sqlFile('points-of-accounts')

type MovementRow = Readonly<{
  day: string
  usable_on: string
  expires_on: string
  slides: boolean
  given: string
  spent: string
}>

type HistoryRow = Readonly<
  | ({ place: number; kind: 'movement' } & MovementRow)
  | { place: number; kind: 'own'; day: string; spent: string }
  | { place: number; kind: 'redemption'; redemption: RedemptionJson }
>

/** What a player's entries come to by day and terms, those recorded up to a moment (`infinity`: all of them). */
export async function listMovements(db: Queryable, userId: string, knownAt: string): Promise<Movement[]> {
  return (await db.query<MovementRow>(movementsSql, [userId, knownAt])).map(movementIn)
}

/** The answers to questions about histories, by `historyKey`. */
export async function listHistories(
  db: Queryable,
  questions: readonly HistoryQuestion[],
): Promise<ReadonlyMap<string, PlayerHistory>> {
  const rows = await db.query<HistoryRow>(historiesSql, [
    questions.map(({ userId }) => userId),
    questions.map(({ orderId }) => orderId),
    questions.map(({ redemptionId }) => redemptionId),
  ])
  const histories = questions.map(() => ({
    movements: [] as Movement[],
    own: [] as OwnDebit[],
    redemptions: [] as Redemption[],
  }))
  for (const row of rows) {
    const { movements, own, redemptions } = histories[row.place - 1]!
    if (row.kind === 'movement') movements.push(movementIn(row))
    else if (row.kind === 'own') own.push({ day: row.day, points: BigInt(row.spent) })
    else redemptions.push(redemptionOf(questions[row.place - 1]!.userId, row.redemption))
  }
  return new Map(questions.map((question, index) => [historyKey(question), histories[index]!]))
}

/** What a movement is made of. `program` is the version that the order was computed under, null where no order decided. */
export type KindMovement = Movement & Readonly<{ kind: Entry['kind']; program: number | null }>

/** A player and what was given and spent; the list is empty where nothing was. */
export type PlayerMovements = Readonly<{ userId: UserId; movements: readonly KindMovement[] }>

/** The movements of the next players after `after` up to a day, known at a moment (`infinity`: all). */
export async function listPlayerMovements(
  db: Queryable,
  { after, limit, day, knownAt }: Readonly<{ after: UserId; limit: number; day: Day; knownAt: string }>,
): Promise<PlayerMovements[]> {
  type Row = Readonly<{ user_id: string; kind: Entry['kind'] | null; program: number | null }> & MovementRow
  const rows = await db.query<Row>(ofPlayersSql, [after, limit, day, knownAt])
  const players = new Map<UserId, KindMovement[]>()
  for (const row of rows) {
    const own = players.get(row.user_id) ?? []
    if (row.kind !== null) own.push({ ...movementIn(row), kind: row.kind, program: row.program })
    players.set(row.user_id, own)
  }
  return [...players].map(([userId, movements]) => ({ userId, movements }))
}

/** What one player was given and has spent, and what is held, as if it were spent. */
export type AccountHistory = Readonly<{ movements: readonly Movement[]; held: Points }>

/** The histories of the next `limit` players after a user id, with what is held at a moment (RFC 3339). A player without entries has none. */
export async function listAccountHistories(
  db: Queryable,
  { after, limit, at }: Readonly<{ after: UserId; limit: number; at: string }>,
): Promise<Readonly<{ histories: readonly AccountHistory[]; last: UserId | undefined }>> {
  type Row = Readonly<{ user_id: string | null; last: string | null; is_held: boolean }> & MovementRow
  const rows = await db.query<Row>(ofAccountsSql, [after, limit, at])
  const ofPlayers = Map.groupBy(rows, ({ user_id }) => user_id)
  const last = rows.find((row) => row.last !== null)?.last ?? undefined
  ofPlayers.delete(null)
  const histories = [...ofPlayers.values()].map((own) => ({
    movements: own.map(movementIn),
    held: own.reduce((sum, { is_held, spent }) => (is_held ? sum + BigInt(spent) : sum), 0n),
  }))
  return { histories, last }
}

function movementIn({ day, usable_on, expires_on, slides, given, spent }: MovementRow): Movement {
  return { day, usableOn: usable_on, expiresOn: expires_on, slides, given: BigInt(given), spent: BigInt(spent) }
}
