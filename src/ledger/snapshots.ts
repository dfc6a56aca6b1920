import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { parseAmount } from '../engine/points/arithmetic.ts'
import type { Adjustment, KnownAdjustments } from '../engine/points/ledger/adjust.ts'
import {
  type ForeignOrder,
  type HistoryQuery,
  historyKey,
  type Profile,
  type Snapshot,
  toBalanceQuery,
} from '../engine/points/ledger/snapshot.ts'
import type { Account, RecordedOrder, Referrer, SentOrder } from '../engine/points/model.ts'
import type { Amount, AttributeSet, OrderId, UserId } from '../engine/points/units.ts'
import { type AccountJson, accountOf, listAccounts } from './accounts.ts'
import { findAttributeSets } from './attribute-sets.ts'
import { listAdjustments } from './entries.ts'
import { listHistories } from './histories.ts'
import { findSetsOf, type OrderRow, toRecordedOrder } from './recorded-orders.ts'

/** What to read to compute an order. `needsBalance`: also the player's history, for the balance, unless the order is already recorded. */
export type OrderQuery = Readonly<{
  userId: UserId
  orderId: OrderId
  skus: readonly string[]
  code: string
  needsBalance?: boolean
}>

/** What to read in order to compute this order. */
export function toOrderQuery({ userId, id, lines, referralCode }: SentOrder): OrderQuery {
  return { userId, orderId: id, skus: lines.flatMap(({ sku }) => sku ?? []), code: referralCode }
}

type InputRow = Readonly<
  | { kind: 'player' | 'erased' | 'account' | 'owner'; key: string; value: string }
  /** All products in one row, tab-separated (keys contain no tabs); null if none is known. */
  | { kind: 'products'; key: string | null; value: string | null }
>
type RecordRow = Readonly<
  | { kind: 'order'; key: string; value: string; record: OrderRow }
  | { kind: 'code'; key: string; value: string; record: boolean | null }
  | { kind: 'account'; key: string; record: AccountJson }
>

const inputsSql = sqlFile(import.meta.url, 'order-inputs')
const recordsSql = sqlFile(import.meta.url, 'order-records')

/**
 * Reads what the engine needs to compute orders: one statement for all of them, another if any is already recorded or carries a referral
 * code, and one for the balances needed. Sums over windows come from `listWindowSums`, other histories from `listHistories`.
 */
export async function readSnapshot(db: Queryable, queries: readonly OrderQuery[]): Promise<Snapshot> {
  const rows = await db.query<InputRow>(inputsSql, [
    queries.map(({ userId }) => userId),
    queries.map(({ orderId }) => orderId),
    [...new Set(queries.flatMap(({ skus }) => skus))],
  ])
  const profiles = new Map<string, Profile>()
  const erased = new Set<string>()
  const accounts = new Map<string, Account>()
  const catalogue = new Map<string, Amount>()
  const digests = new Map<string, string>()
  const orders = new Map<string, RecordedOrder | ForeignOrder>()
  for (const row of rows) {
    switch (row.kind) {
      case 'erased':
        erased.add(row.key)
        profiles.set(row.key, profileIn(row.value))
        break
      case 'player':
        profiles.set(row.key, profileIn(row.value))
        break
      case 'account':
        accounts.set(row.key, accountOf(JSON.parse(row.value)))
        break
      case 'products':
        for (const [sku, price, digest] of pricesIn(row)) {
          catalogue.set(sku, price)
          if (digest !== '') digests.set(sku, digest)
        }
        break
      case 'owner':
        orders.set(row.key, { ownerId: row.value })
        break
      default:
        row satisfies never
    }
  }
  const codes = new Map<string, Referrer[]>()
  const records = await listRecords(db, queries, orders)
  const sets = await findSetsOf(
    db,
    records.flatMap((row) => (row.kind === 'order' ? [row.record] : [])),
  )
  for (const row of records) {
    switch (row.kind) {
      case 'order':
        orders.set(row.key, toRecordedOrder(row.key, row.value, row.record, sets))
        break
      case 'code':
        codes.set(row.key, [...(codes.get(row.key) ?? []), { referrerId: row.value, ...participationOf(row.record) }])
        break
      case 'account':
        accounts.set(row.key, accountOf(row.record))
        break
      default:
        row satisfies never
    }
  }
  const attributes = digests.size === 0 ? undefined : await attributesOf(db, digests)
  const histories = await listHistories(db, toBalanceQueries(queries, profiles, orders))
  return {
    ...{ profiles, erased, accounts, catalogue, orders, codes },
    ...(attributes === undefined ? {} : { attributes }),
    levelPointsIn: () => undefined,
    history: (query) => histories.get(historyKey(query)),
  }
}

async function attributesOf(db: Queryable, digests: ReadonlyMap<string, string>): Promise<Map<string, AttributeSet>> {
  const sets = await findAttributeSets(db, new Set(digests.values()))
  return new Map([...digests].flatMap(([sku, digest]) => (sets.has(digest) ? [[sku, sets.get(digest)!]] : [])))
}

/** The players whose balance is needed, each once: only known players have one, and a recorded order keeps the facts of its first recording. */
function toBalanceQueries(
  queries: readonly OrderQuery[],
  profiles: ReadonlyMap<UserId, Profile>,
  recorded: ReadonlyMap<OrderId, unknown>,
): HistoryQuery[] {
  const players = queries.flatMap(({ needsBalance, orderId, userId }) =>
    needsBalance && profiles.has(userId) && !recorded.has(orderId) ? [userId] : [],
  )
  return [...new Set(players)].map(toBalanceQuery)
}

async function listRecords(
  db: Queryable,
  queries: readonly OrderQuery[],
  owned: ReadonlyMap<string, RecordedOrder | ForeignOrder>,
): Promise<RecordRow[]> {
  const recorded = queries.filter(({ userId, orderId }) => {
    const order = owned.get(orderId)
    return order !== undefined && 'ownerId' in order && order.ownerId === userId
  })
  const codes = new Set(queries.flatMap(({ code }) => (code === '' ? [] : [code])))
  if (recorded.length === 0 && codes.size === 0) return []
  return db.query<RecordRow>(recordsSql, [
    recorded.map(({ userId }) => userId),
    recorded.map(({ orderId }) => orderId),
    [...codes],
  ])
}

/** Reads what is needed to make these adjustments, for all of them at once. */
export async function readKnownAdjustments(
  db: Queryable,
  adjustments: readonly Pick<Adjustment, 'userId' | 'id'>[],
): Promise<KnownAdjustments> {
  const players = await listAccounts(
    db,
    adjustments.map(({ userId }) => userId),
  )
  return {
    accounts: new Map(players.map(({ userId, account }) => [userId, account])),
    erased: new Set(players.flatMap(({ userId, isErased }) => (isErased ? [userId] : []))),
    made: await listAdjustments(db, adjustments),
  }
}

/** Each product with its price and the digest of its attributes, empty if it has none. */
function* pricesIn({ key, value }: { key: string | null; value: string | null }): Iterable<[string, Amount, string]> {
  if (key === null || value === null) return
  const values = value.split('\t')
  for (const [index, sku] of key.split('\t').entries()) {
    const one = values[index]!
    const end = one.indexOf(' ')
    if (end < 0) yield [sku, parseAmount(one)!, '']
    else yield [sku, parseAmount(one.slice(0, end))!, one.slice(end + 1)]
  }
}

function profileIn(json: string): Profile {
  const [region, district, country, gender, dateOfBirth, participates, attributes] = JSON.parse(json) as [
    string,
    string,
    string,
    string,
    string | null,
    boolean | null,
    AttributeSet | null,
  ]
  const profile = {
    ...{ region, district, country, gender },
    ...participationOf(participates),
    ...(attributes === null ? {} : { attributes }),
  }
  return dateOfBirth === null ? profile : { ...profile, dateOfBirth }
}

/** Null where the field was never sent: the player participates. */
function participationOf(participates: boolean | null): Pick<Profile, 'participates'> {
  return participates === false ? { participates } : {}
}
