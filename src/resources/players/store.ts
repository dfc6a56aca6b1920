import { columnsOf, insertRows, type LateRow, listFingerprints, statesIn, type WrittenRow } from '../../bulk/rows.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { type KeyPage, keyPageParams } from '../../database/db/key-page.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { Tx } from '../../database/db/transaction.ts'
import type { Row } from '../../engine/ingest/batch.ts'
import type { PlayerSearch } from '../../engine/ingest/player.ts'
import { hashIn, participationIn, playerAttributesIn } from '../../engine/ingest/player-marks.ts'
import { ABSENT, type Values } from '../../engine/ingest/row.ts'
import { NO_ATTRIBUTES } from '../../engine/points/attributes.ts'
import type { AttributeSet } from '../../engine/points/units.ts'

/** A player as stored, under the database's names. Moments are RFC 3339, the date of birth is `YYYY-MM-DD`; `rev` counts the changes. */
export type StoredPlayer = Readonly<{
  user_id: string
  name: string
  email: string
  phone: string
  address: string
  /** Null if the shop does not require it and it was not sent. */
  date_of_birth: string | null
  gender: string
  refer_code: string
  state: string
  district: string
  referred_by: string
  pincode: string
  country: string
  rev: number
  created_at: string
  updated_at: string
  participates: boolean
  attributes: Readonly<Record<string, unknown>>
}>

const upsertSql = sqlFile(import.meta.url, 'players-upsert')
const copySql = sqlFile(import.meta.url, 'players-copy')
const fingerprintsSql = sqlFile(import.meta.url, 'players-fingerprints')
const valuesSql = sqlFile(import.meta.url, 'players-values')
const findSql = sqlFile(import.meta.url, 'player-find')
const pageSql = sqlFile(import.meta.url, 'players-page')
const searchSql = sqlFile(import.meta.url, 'players-search')

export const playerStates = statesIn({
  table: 'players',
  key: 'user_id',
  // That of an erased player is the same in every statement.
  fingerprint:
    "encode(row_hash, 'hex') || case when row_hash = '\\x00' then '' else case when participates is false then '-' else '+' end || coalesce(attributes::text, '{}') end",
})

/** Writes players, sorted by key, each key at most once; `at` is the moment of the request (RFC 3339). */
export async function upsertPlayerRows(tx: Tx, players: readonly Row[], at: string): Promise<WrittenRow[]> {
  return upsertWith(tx, players, at, ({ fingerprint }) => playerAttributesIn(fingerprint))
}

async function upsertWith(
  tx: Tx,
  players: readonly Row[],
  at: string,
  attributesOf: (player: Row) => AttributeSet | null,
): Promise<WrittenRow[]> {
  tx.changes(
    'players',
    players.map(({ key }) => key),
  )
  const hashes = players.map(({ fingerprint }) => hashIn(fingerprint))
  const participations = players.map(({ fingerprint }) => participationIn(fingerprint))
  const attributes = players.map(attributesOf)
  const sent = attributes.every((one) => one === null) ? null : attributes
  return tx.query<WrittenRow>(upsertSql, [...columnsOf(players, 13), hashes, at, participations, sent])
}

/** The same, but faster, for players that were not stored when looked up. Returns those that turned out to exist after all. */
export async function insertPlayerRows(tx: Tx, players: readonly Row[], at: string): Promise<LateRow[]> {
  tx.changes(
    'players',
    players.map(({ key }) => key),
  )
  const line = ({ row, fingerprint }: Row) =>
    `${row}\t\\\\x${hashIn(fingerprint)}\t1\t${at}\t${at}\t${participationIn(fingerprint) ?? ABSENT}\n`
  const hasAttributes = players.some((player) => newAttributes(player) !== null)
  const upsert = (rows: readonly Row[]) => upsertWith(tx, rows, at, newAttributes)
  return insertRows(tx, players, { ...(hasAttributes ? {} : { copySql }), line, upsert })
}

/** A new player without attributes needs none to be removed. */
function newAttributes({ fingerprint }: Row): AttributeSet | null {
  const attributes = playerAttributesIn(fingerprint)
  return attributes === NO_ATTRIBUTES ? null : attributes
}

/** The stored fingerprint of each player, in the order given; undefined if none is stored. */
export async function listPlayerFingerprints(db: Queryable, keys: readonly string[]): Promise<(string | undefined)[]> {
  return listFingerprints(db, fingerprintsSql, keys)
}

/** The values of the row of each stored player. */
export async function listPlayerValues(db: Queryable, keys: readonly string[]): Promise<ReadonlyMap<string, Values>> {
  const rows = await db.query<{ key: string; values: Values }>(valuesSql, [keys])
  return new Map(rows.map(({ key, values }) => [key, values]))
}

/** A player; undefined if unknown. */
export async function findPlayer(db: Queryable, userId: string): Promise<StoredPlayer | undefined> {
  const [player] = await db.query<StoredPlayer>(findSql, [userId])
  return player
}

/** A page of all players, by user id. */
export async function listPlayerPage(db: Queryable, page: KeyPage): Promise<StoredPlayer[]> {
  return db.query<StoredPlayer>(pageSql, keyPageParams(page))
}

/**
 * The players who match any of the search terms: at most `limit` after a user id, by user id. Needs a transaction for a planner setting:
 * the planner underestimates the BRIN filters of `players_by_contact` and would scan the table.
 */
export async function findPlayersBy(
  tx: Tx,
  { userId, email, phone, referralCode }: PlayerSearch,
  { after, limit }: Pick<KeyPage, 'after' | 'limit'>,
): Promise<StoredPlayer[]> {
  await tx.query('set local enable_seqscan = off')
  const sought = [userId, email, phone, referralCode].map((text) => (text === '' ? null : text))
  return tx.query<StoredPlayer>(searchSql, [...sought, after, limit])
}
