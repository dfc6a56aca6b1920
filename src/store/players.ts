import type { Fingerprinted } from '../ingest/batch.ts'
import type { PlayerRecord } from '../ingest/player.ts'
import type { Queryable } from './db.ts'
import { sqlFile } from './sql-file.ts'

/** A record that an upsert wrote. What was sent and is not among the written was unchanged. */
export type Written = Readonly<{ key: string; inserted: boolean }>

/** A stored key and the fingerprint of its values. */
export type Stored = Readonly<{ key: string; fingerprint: string }>

/** A player as stored, with the database's names. */
export type StoredPlayer = Readonly<Record<string, string | number>>

const upsertSql = sqlFile('players-upsert')
const fingerprintsSql = sqlFile('players-fingerprints')
const findSql = sqlFile('player-find')

/** Writes players, each key at most once and in the order of keys; `at` is the moment of the request (RFC 3339). */
export async function upsertPlayers(
  tx: Queryable,
  players: readonly Fingerprinted<PlayerRecord>[],
  at: string,
): Promise<Written[]> {
  const column = (name: keyof PlayerRecord) => players.map(({ record }) => record[name])
  return tx.query<Written>(upsertSql, [
    column('userId'),
    column('name'),
    column('email'),
    column('phone'),
    column('address'),
    column('dateOfBirth'),
    column('gender'),
    column('referCode'),
    column('state'),
    column('district'),
    column('referredBy'),
    column('pincode'),
    column('country'),
    players.map(({ fingerprint }) => fingerprint),
    at,
  ])
}

export async function listPlayerFingerprints(db: Queryable, keys: readonly string[]): Promise<Stored[]> {
  return db.query<Stored>(fingerprintsSql, [keys])
}

export async function findPlayer(db: Queryable, userId: string): Promise<StoredPlayer | undefined> {
  const [player] = await db.query<StoredPlayer>(findSql, [userId])
  return player
}
