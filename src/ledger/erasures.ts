/*
 * Players who were erased (docs/privacy.md). The row of a player who keeps the id says so itself; an id that was an e-mail address or a phone number is
 * replaced, and known only as a digest, whose key is outside the database.
 */
import { createHmac } from 'node:crypto'
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { ClaimingStep } from '../database/db/transaction.ts'
import { isPersonalId } from '../engine/ingest/player-key.ts'
import type { UserId } from '../engine/points/units.ts'
import { OperatorError } from '../errors.ts'

const findSql = sqlFile(import.meta.url, 'erasures-find')
const noneSql = sqlFile(import.meta.url, 'erasures-none')
const dropSql = sqlFile(import.meta.url, 'erasures-drop')
const checkSql = sqlFile(import.meta.url, 'erasures-check')
const insertSql = sqlFile(import.meta.url, 'erasures-insert')
const reopenSql = sqlFile(import.meta.url, 'erasures-reopen')

/** The fingerprint of an erased player's row, in hex: that of no record, which has 16 bytes. */
export const ERASED_FINGERPRINT = '00'

/** The key of the digests of erased ids. */
export type ErasureKey = Readonly<{
  /** The key; undefined if there is none yet. */
  find: () => Buffer | undefined
  /** The key, which is made if there is none yet. Errors: Unavailable if it has to be set. */
  make: () => Buffer
}>

/** What stands for an id once its player is erased, in hex. Ids are not empty: the digest of the empty text tells a key from others. */
export function digestOf(key: Buffer, userId: UserId): string {
  return createHmac('sha256', key).update(userId).digest('hex')
}

/**
 * The parameters $1 and $2 of `erased-ids.fragment.sql`: the ids among these that may have been replaced, and their digests. Both empty without a key, or
 * if none is an e-mail address or a phone number.
 */
export function replaceableIds(erasureKey: ErasureKey, userIds: Iterable<UserId>): readonly [UserId[], string[]] {
  const digests = digestsOf(erasureKey, userIds)
  return [[...digests.keys()], [...digests.values()]]
}

/** Where the key is, and the ids of these among which somebody may have been erased whose id was replaced; none costs no statement. */
function digestsOf(erasureKey: ErasureKey, userIds: Iterable<UserId>): ReadonlyMap<UserId, string> {
  const key = erasureKey.find()
  if (key === undefined) return new Map()
  return new Map([...userIds].filter(isPersonalId).map((userId) => [userId, digestOf(key, userId)]))
}

/** Those of these ids that were replaced, and by what. One statement, none if no id is an e-mail address or a phone number. */
export async function findReplacedIds(
  db: Queryable,
  erasureKey: ErasureKey,
  userIds: Iterable<UserId>,
): Promise<ReadonlyMap<UserId, UserId>> {
  const digests = digestsOf(erasureKey, userIds)
  if (digests.size === 0) return new Map()
  type Found = Readonly<{ digest: string; moved_to: string | null }>
  const rows = await db.query<Found>(findSql, [[...digests.values()]])
  const movedTo = new Map(rows.map(({ digest, moved_to }) => [digest, moved_to]))
  return new Map(
    [...digests].flatMap(([userId, digest]) => {
      const id = movedTo.get(digest)
      return id === undefined || id === null ? [] : [[userId, id] as const]
    }),
  )
}

/** Records of players under the ids that they have now; the same list if none was replaced. Only ids that are not known are looked up. */
export async function underCurrentIds<T extends Readonly<{ userId: UserId }>>(
  db: Queryable,
  erasureKey: ErasureKey,
  records: readonly T[],
  isPlayer: (userId: UserId) => boolean,
): Promise<readonly T[]> {
  const unknown = new Set(records.flatMap(({ userId }) => (isPlayer(userId) ? [] : [userId])))
  const replaced = await findReplacedIds(db, erasureKey, unknown)
  if (replaced.size === 0) return records
  return records.map((record) => ({ ...record, userId: replaced.get(record.userId) ?? record.userId }))
}

/** A step that is lost if one of these ids was replaced meanwhile; none if none of them can be. */
export function noneReplacedSteps(erasureKey: ErasureKey, userIds: Iterable<UserId>): ClaimingStep[] {
  const digests = digestsOf(erasureKey, userIds)
  if (digests.size === 0) return []
  const claim = { rows: 1, lost: 'a player was erased meanwhile' }
  return [{ sql: noneSql, params: [[...digests.values()]], claim }]
}

/** Deletes the players, and accounts without entries, that were just written under ids that were replaced meanwhile. */
export async function dropReplaced(tx: Queryable, erasureKey: ErasureKey, userIds: Iterable<UserId>): Promise<void> {
  const digests = digestsOf(erasureKey, userIds)
  if (digests.size > 0) await tx.query(dropSql, [[...digests.keys()], [...digests.values()]])
}

/** Opens these ids again: whatever is sent under them is taken. */
export async function reopenIds(tx: Queryable, erasureKey: ErasureKey, userIds: readonly UserId[]): Promise<void> {
  const key = erasureKey.find()
  const digests = key === undefined ? [] : userIds.map((userId) => digestOf(key, userId))
  if (userIds.length > 0) await tx.query(reopenSql, [userIds, digests])
}

/** Whose id is erased, when, by the token with which id, and the id that stands for it from now on, if another. */
type Erasure = Readonly<{ userId: UserId; at: string; by: string; movedTo: UserId | undefined }>

/** Remembers that an id was erased. */
export async function insertErasure(tx: Queryable, key: Buffer, { userId, at, by, movedTo }: Erasure): Promise<void> {
  await tx.query(insertSql, [digestOf(key, ''), digestOf(key, userId), at, by, movedTo ?? null])
}

/** Errors: OperatorError if people were erased, and the key is missing or not the one. */
export async function assertErasureKey(db: Queryable, { find }: ErasureKey): Promise<void> {
  const key = find()
  type Found = Readonly<{ has_any: boolean; is_ours: boolean }>
  const [row] = await db.query<Found>(checkSql, [key === undefined ? '' : digestOf(key, '')])
  if (!row!.has_any || row!.is_ours) return
  throw otherErasureKey()
}

/** The error where people were erased, and the key is missing or not the one. */
export function otherErasureKey(): OperatorError {
  return new OperatorError(
    'the key with which players were erased is missing, or another one: set LAUREL_ERASURE_KEY, or put the file erasure-key back into LAUREL_DATA',
  )
}
