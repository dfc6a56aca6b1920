import { type Adjustment, adjustmentKey, type KnownAdjustments } from '../points/adjustments.ts'
import { NO_ACCOUNT } from '../points/ledger.ts'
import type { Account, Entry } from '../points/model.ts'
import { type AccountRow, accountOf } from './account-row.ts'
import type { Queryable } from './db.ts'
import { sqlFile } from './sql-file.ts'

const inputsSql = sqlFile('adjustment-inputs')

type Row = Readonly<
  | { kind: 'account'; key: string; facts: AccountRow | null }
  | {
      kind: 'adjustment'
      key: string
      facts: Readonly<{ seq: string; points: string; counts: boolean; id: string; reason: string; at: string }>
    }
>

/** What making these adjustments needs to know, by one statement for all of them. */
export async function readKnownAdjustments(
  db: Queryable,
  adjustments: readonly Pick<Adjustment, 'userId' | 'id'>[],
): Promise<KnownAdjustments> {
  const rows = await db.query<Row>(inputsSql, [
    adjustments.map(({ userId }) => userId),
    adjustments.map(({ id }) => id),
  ])
  const accounts = new Map<string, Account>()
  const made = new Map<string, Entry>()
  for (const { kind, key, facts } of rows) {
    if (kind === 'account') accounts.set(key, facts === null ? NO_ACCOUNT : accountOf(facts))
    else
      made.set(adjustmentKey(key, facts.id), {
        userId: key,
        seq: BigInt(facts.seq),
        kind: 'adjustment',
        points: BigInt(facts.points),
        counts: facts.counts,
        at: facts.at,
        adjustment: { id: facts.id, reason: facts.reason },
      })
  }
  return { accounts, made }
}
