import { type Columns, columnLists, columnParts } from '../database/db/columns.ts'
import type { Queryable, WriteStep } from '../database/db/driver.ts'
import { type KeyPage, keyPageParams } from '../database/db/key-page.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import type { Redemption } from '../engine/points/model.ts'
import type { UserId } from '../engine/points/units.ts'

/** A redemption as statements return it (ledger/redemption.fragment.sql). */
export type RedemptionJson = readonly [
  id: string,
  state: Redemption['state'],
  points: string,
  reward: string | null,
  orderId: string | null,
  program: number,
  heldOn: string,
  heldUntil: string | null,
  rev: string,
  by: string,
  reason: string,
  createdAt: string,
  voidedParts: readonly Readonly<{ points: string; reason: string }>[] | null,
]

/** A redemption is written with the next revision. */
const REDEMPTION_COLUMNS: Columns<Redemption> = {
  user_id: ['text', ({ userId }) => userId],
  redemption_id: ['text', ({ id }) => id],
  state: ['text', ({ state }) => state],
  points: ['bigint', ({ points }) => points],
  reward: ['text', ({ reward }) => reward],
  order_id: ['text', ({ orderId }) => orderId],
  program_version: ['bigint', ({ program }) => program],
  held_on: ['date', ({ heldOn }) => heldOn],
  held_until: ['timestamptz', ({ heldUntil }) => heldUntil],
  rev: ['bigint', ({ rev }) => rev + 1n],
  by: ['text', ({ by }) => by],
  reason: ['text', ({ reason }) => reason],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  voided_parts: [
    'json',
    ({ voidedParts }) =>
      voidedParts && JSON.stringify(voidedParts.map(({ points, reason }) => ({ points: String(points), reason }))),
  ],
}

const writeSql = sqlFile(
  import.meta.url,
  'redemptions-write',
  columnParts(REDEMPTION_COLUMNS, ['user_id', 'redemption_id']),
)

const pageSql = sqlFile(import.meta.url, 'redemptions-page')

/** A page of a player's redemptions, by id. */
export async function listRedemptionPage(db: Queryable, page: KeyPage, userId: UserId): Promise<Redemption[]> {
  const rows = await db.query<{ redemption: RedemptionJson }>(pageSql, [...keyPageParams(page), userId])
  return rows.map(({ redemption }) => redemptionOf(userId, redemption))
}

/** The step that writes redemptions in their new state, each with its next revision. */
export function redemptionStep(redemptions: readonly Redemption[], at: string): WriteStep {
  return { sql: writeSql, params: [...columnLists(REDEMPTION_COLUMNS, redemptions), at] }
}

/** The redemption in a statement's row. */
export function redemptionOf(userId: UserId, json: RedemptionJson): Redemption {
  const [id, state, points, reward, orderId, program, heldOn, heldUntil, rev, by, reason, createdAt, parts] = json
  return {
    ...{ userId, id, state, points: BigInt(points), program, heldOn, rev: BigInt(rev), by, reason, createdAt },
    ...(reward === null ? {} : { reward }),
    ...(orderId === null ? {} : { orderId }),
    ...(heldUntil === null ? {} : { heldUntil }),
    ...(parts === null ? {} : { voidedParts: parts.map((part) => ({ ...part, points: BigInt(part.points) })) }),
  }
}
