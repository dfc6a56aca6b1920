import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import { TABLE_PLACES } from '../../database/db/table-places.ts'
import type { Tx } from '../../database/db/transaction.ts'
import type { OrderId, UserId } from '../../engine/points/units.ts'
import { Unavailable } from '../../errors.ts'
import { beginTotals } from '../../ledger/account-figures.ts'

const exportSql = sqlFile(import.meta.url, 'person-export')

/** A record about a player: `place` is that of its kind, from 1, and `key` tells it from the others of its kind. */
export type KeptRecord = Readonly<{ place: number; key: string; record: Readonly<Record<string, unknown>> }>

/** The next `limit` records about a player after one, by place and key. `handle` is the player's in the audit log. */
export async function listKeptRecords(
  db: Queryable,
  { userId, handle }: Readonly<{ userId: string; handle: string }>,
  after: Pick<KeptRecord, 'place' | 'key'>,
  limit: number,
): Promise<KeptRecord[]> {
  return db.query<KeptRecord>(exportSql, [userId, handle, after.place, after.key, limit])
}

const findSql = sqlFile(import.meta.url, 'person-find')
const lateMentionsSql = sqlFile(import.meta.url, 'person-late-mentions')
const lockTotalsSql = sqlFile(import.meta.url, 'person-lock-totals')
const raiseSql = sqlFile(import.meta.url, 'person-raise-accounts')
const entriesSql = sqlFile(import.meta.url, 'person-erase-entries')
const ordersSql = sqlFile(import.meta.url, 'person-erase-orders')
const eraseMentionsSql = sqlFile(import.meta.url, 'person-erase-mentions')
const notesSql = sqlFile(import.meta.url, 'person-erase-notes')
const redemptionsSql = sqlFile(import.meta.url, 'person-erase-redemptions')
const lockPredictionsSql = sqlFile(import.meta.url, 'person-lock-predictions')
const predictionsSql = sqlFile(import.meta.url, 'person-delete-predictions')
const countAnewSql = sqlFile(import.meta.url, 'person-count-anew')
const playerSql = sqlFile(import.meta.url, 'person-erase-player')
const referredBySql = sqlFile(import.meta.url, 'person-erase-referred-by')
const reportsSql = sqlFile(import.meta.url, 'person-erase-reports')
const actsSql = sqlFile(import.meta.url, 'person-rename-acts')
const backfillSql = sqlFile(import.meta.url, 'person-backfill-open')
const tablesSql = sqlFile(import.meta.url, 'person-tables')
const moveOwnersSql = sqlFile(import.meta.url, 'person-move-owners')
const moveScanSql = sqlFile(import.meta.url, 'person-move-scan')
const moveBackfillSql = sqlFile(import.meta.url, 'person-move-backfill')

const PLAYER_TABLES = Object.keys(TABLE_PLACES).filter((name) => TABLE_PLACES[name] === 'user_id')

/** The texts that identify a player on their own, under the database's names, and whether the player was erased. */
export type Person = Readonly<
  Record<'name' | 'email' | 'phone' | 'address' | 'refer_code', string> & { is_erased: boolean }
>

/** A player, whose record nobody else writes until the transaction ends; undefined if unknown. */
export async function lockPerson(tx: Tx, userId: UserId): Promise<Person | undefined> {
  return (await tx.query<Person>(findSql, [userId]))[0]
}

/** Nobody counts accounts until the transaction ends: those that are written meanwhile stay in account_changes. */
export async function lockCounting(tx: Tx): Promise<void> {
  // Without totals there would be no row to lock: the first count may begin just now.
  await beginTotals(tx)
  await tx.query(lockTotalsSql)
}

/** Whether entries from before days were kept are still being counted, player by player. */
export async function isBackfillOpen(tx: Tx): Promise<boolean> {
  return (await tx.query(backfillSql)).length > 0
}

/** What an erasure has blanked, deleted and kept, as counts. */
export type ErasedCounts = Readonly<{
  orders: number
  entries: number
  reasons: number
  redemptions: number
  holds: number
  predictions: number
  /** Orders of other players that named the player. */
  mentions: number
  /** Other players whose referrer the player was. */
  players: number
  jobs: number
}>

/** By what others name a player. `texts` are those that identify the player; `referralCode` may be empty. */
export type NamedPlayer = Readonly<{ userId: UserId; referralCode: string; texts: readonly string[] }>

/** The ids of other players who name one: in their orders, and as their referrer. */
export type PlayerMentions = Readonly<{ inOrders: readonly UserId[]; asReferrer: readonly UserId[] }>

/** Whom to erase, and as what. `jobTexts` are those that a report may have; `handles` are the old and the new one. */
type PersonToErase = NamedPlayer &
  Readonly<{
    newId: UserId
    mentions: PlayerMentions
    jobTexts: readonly string[]
    handles: readonly [old: string, current: string]
    at: string
  }>

/** Blanks a player in the orders of others, whose accounts get the next revision first. Returns how many of the orders named the player. */
async function eraseInOrders(
  tx: Tx,
  player: Pick<PersonToErase, 'userId' | 'newId' | 'referralCode'>,
  others: readonly UserId[],
): Promise<number> {
  if (others.length === 0) return 0
  await tx.query(raiseSql, [[...others].sort(), player.newId])
  tx.changes('players', others)
  return await blankInOrders(tx, player, others)
}

/** The same without the revisions. */
async function blankInOrders(
  tx: Tx,
  { userId, newId, referralCode }: Pick<PersonToErase, 'userId' | 'newId' | 'referralCode'>,
  others: readonly UserId[],
): Promise<number> {
  const named = await tx.query<{ order_id: OrderId }>(eraseMentionsSql, [userId, newId, referralCode, others])
  const orderIds = named.map(({ order_id }) => order_id)
  if (referralCode !== '' && orderIds.length > 0) await tx.query(notesSql, [others, referralCode, orderIds])
  return orderIds.length
}

/** Blanks the id and the texts of an erased player where others name them. Errors: those of the database. */
export async function eraseMentions(
  tx: Tx,
  { userId, newId, texts }: Pick<PersonToErase, 'userId' | 'newId' | 'texts'>,
  { inOrders, asReferrer }: PlayerMentions,
): Promise<void> {
  await lockCounting(tx)
  await eraseInOrders(tx, { userId, newId, referralCode: '' }, inOrders)
  await tx.query(referredBySql, [texts, asReferrer])
}

/**
 * Blanks everything that identifies a player, in every table, and puts the new id in place of the old one if it differs. Accounts whose orders change get
 * the next revision first, so that requests that have read them run again. Call `lockCounting` before `mentions` are looked up. Errors: those of the database.
 */
export async function erasePerson(
  tx: Tx,
  { userId, newId, referralCode, texts, jobTexts, handles, at, mentions: { inOrders, asReferrer } }: PersonToErase,
): Promise<ErasedCounts> {
  const one = async <Row extends object>(sql: string, ...params: readonly unknown[]): Promise<Row> =>
    (await tx.query<Row>(sql, params))[0]!
  const isMoved = newId !== userId
  await tx.query(raiseSql, [[userId, ...inOrders].sort(), userId])
  tx.changes('players', [userId, newId, ...inOrders])
  const orders = (await tx.query<{ order_id: OrderId }>(ordersSql, [userId])).map(({ order_id }) => order_id)
  const entries = await one<{ entries: number; reasons: number }>(entriesSql, userId, null)
  const mentions = inOrders.length === 0 ? 0 : await blankInOrders(tx, { userId, newId, referralCode }, inOrders)
  const redemptions = await one<{ redemptions: number; holds: number }>(redemptionsSql, userId, at)
  await tx.query(countAnewSql, [userId])
  await tx.query(playerSql, [userId, at])
  const players = (await tx.query(referredBySql, [texts, asReferrer])).length
  const { jobs } = await one<{ jobs: number }>(
    reportsSql,
    jobTexts,
    JSON.stringify(userId),
    JSON.stringify(newId),
    isMoved,
  )
  if (isMoved) await tx.query(actsSql, handles)
  await tx.query(lockPredictionsSql)
  const { predictions } = await one<{ predictions: number }>(predictionsSql, userId)
  const named = await tx.query<{ user_id: UserId }>(lateMentionsSql, [userId, referralCode])
  const late = named.map(({ user_id }) => user_id).filter((id) => !inOrders.includes(id))
  const lateMentions = await eraseInOrders(tx, { userId, newId, referralCode }, late)
  if (isMoved) await movePlayer(tx, userId, newId, orders)
  return {
    ...{ orders: orders.length, ...entries, ...redemptions },
    ...{ predictions, mentions: mentions + lateMentions, players, jobs },
  }
}

/**
 * Puts an id that nobody has in place of a player's own in every table. Errors: Unavailable if an order has no owner: a cluster commits the two on
 * different servers, one after the other.
 */
async function movePlayer(tx: Tx, oldId: UserId, newId: UserId, orderIds: readonly OrderId[]): Promise<void> {
  await tx.query(moveScanSql, [oldId])
  await tx.query(moveBackfillSql, [oldId])
  const owned = await tx.query(moveOwnersSql, [oldId, newId, orderIds])
  if (owned.length < orderIds.length)
    throw new Unavailable(
      'an order of the player has no owner yet: try again; if this remains, run laurel ledger verify',
    )
  type Table = Readonly<{ name: string; columns: string }>
  for (const { name: table, columns } of await tx.query<Table>(tablesSql, [PLAYER_TABLES])) {
    await tx.query(sqlFile(import.meta.url, 'person-move-rows', { table, columns }), [oldId, newId])
    await tx.query(sqlFile(import.meta.url, 'person-delete-rows', { table }), [oldId])
  }
}
