/*
 * What an account's balance is computed from, kept with the account (decision 166).
 */
import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { PlayerHistory } from '../engine/points/ledger/snapshot.ts'
import { isSpending, toMovement } from '../engine/points/lots/movement.ts'
import type { Entry } from '../engine/points/model.ts'
import type { UserId } from '../engine/points/units.ts'
import { movementsIn } from './histories.ts'

/**
 * Movements separated by commas, in any order, those of equal day and terms summed or not; empty: none. Each is its day, its terms, whether points
 * were spent (`t`), given (`f`) or reinstated (`r`), and the points, separated by spaces: negative if spent or taken back.
 */
export type KeptMovements = string

const withoutSql = sqlFile(import.meta.url, 'accounts-without-movements')
const keepSql = sqlFile(import.meta.url, 'accounts-keep-movements')
const checkSql = sqlFile(import.meta.url, 'kept-movements-check')

/** What entries add to what their players' accounts keep. */
export function addedMovements(entries: readonly Entry[]): Map<UserId, KeptMovements> {
  const added = new Map<UserId, KeptMovements>()
  for (const entry of entries) {
    const before = added.get(entry.userId)
    added.set(entry.userId, before === undefined ? textOf(entry) : `${textOf(entry)},${before}`)
  }
  return added
}

/** As the fragments of SQL write it. */
function textOf(entry: Entry): KeptMovements {
  const { day, usableOn, expiresOn, slides } = toMovement(entry)
  const flow = entry.kind === 'reinstated' ? 'r' : isSpending(entry) ? 't' : 'f'
  return `${day} ${usableOn} ${expiresOn} ${slides ? 't' : 'f'} ${flow} ${entry.points}`
}

/** What a player was given and has spent, in all. */
export function historyKept(kept: KeptMovements): Pick<PlayerHistory, 'movements' | 'reinstated'> {
  return { movements: movementsIn(kept), reinstated: reinstatedIn(kept) }
}

function reinstatedIn(kept: KeptMovements): bigint {
  let sum = 0n
  if (!kept.includes(' r ')) return sum
  for (const [, points] of kept.matchAll(/ r (-?\d+)/g)) sum += BigInt(points!)
  return sum
}

/** Those of these players whose account keeps no movements of its revision, and could. */
export async function listWithoutMovements(db: Queryable, userIds: readonly UserId[]): Promise<UserId[]> {
  if (userIds.length === 0) return []
  return (await db.query<{ user_id: UserId }>(withoutSql, [userIds])).map(({ user_id }) => user_id)
}

/** Derives from the entries what those of these accounts keep that keep nothing, or something older than themselves. */
export async function keepMovements(tx: Queryable, userIds: readonly UserId[]): Promise<void> {
  await tx.query(keepSql, [userIds])
}

/** The players among the next `limit` accounts after a user id whose account keeps anything else than its entries give. `last`: null at the end. */
export async function findWrongMovements(
  db: Queryable,
  after: UserId,
  limit: number,
): Promise<Readonly<{ userIds: readonly UserId[]; last: UserId | null }>> {
  type Row = Readonly<{ user_id: UserId; kept: KeptMovements | null; derived: KeptMovements | null }>
  const rows = await db.query<Row>(checkSql, [after, limit])
  return {
    userIds: rows.flatMap(({ user_id, kept, derived }) =>
      kept === null || sumsIn(kept) === sumsIn(derived ?? '') ? [] : [user_id],
    ),
    last: rows.at(-1)?.user_id ?? null,
  }
}

/** The text with movements of equal day and terms summed, in a fixed order; as it is if it is malformed. */
function sumsIn(kept: KeptMovements): string {
  const sums = new Map<string, bigint>()
  for (const movement of kept === '' ? [] : kept.split(',')) {
    const [, terms, points] = /^(.+) (-?\d+)$/.exec(movement) ?? []
    if (terms === undefined) return kept
    sums.set(terms, (sums.get(terms) ?? 0n) + BigInt(points!))
  }
  return [...sums]
    .map(([terms, points]) => `${terms} ${points}`)
    .sort()
    .join()
}
