import { type Adjustment, adjustmentKey, type KnownAdjustments } from '../points/ledger/adjust.ts'
import type { Entry } from '../points/model.ts'
import { listAccounts } from './accounts.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

const findSql = sqlFile('adjustments-find')

type Row = Readonly<{
  user_id: string
  id: string
  seq: string
  points: string
  counts: boolean
  reason: string
  at: string
}>

/** What making these adjustments needs to know, for all of them together. */
export async function readKnownAdjustments(
  db: Queryable,
  adjustments: readonly Pick<Adjustment, 'userId' | 'id'>[],
): Promise<KnownAdjustments> {
  const userIds = adjustments.map(({ userId }) => userId)
  const players = await listAccounts(db, userIds)
  const rows = await db.query<Row>(findSql, [userIds, adjustments.map(({ id }) => id)])
  return {
    accounts: new Map(players.map(({ userId, account }) => [userId, account])),
    made: new Map(rows.map((row) => [adjustmentKey(row.user_id, row.id), entryOf(row)])),
  }
}

function entryOf({ user_id: userId, id, seq, points, counts, reason, at }: Row): Entry {
  return {
    userId,
    seq: BigInt(seq),
    kind: 'adjustment',
    points: BigInt(points),
    counts,
    at,
    adjustment: { id, reason },
  }
}
