import type { Queryable } from '../database/db/driver.ts'
import { sqlFile } from '../database/db/sql-file.ts'
import { parseAmount } from '../engine/points/arithmetic.ts'
import type { Adjustment, KnownAdjustments } from '../engine/points/ledger/adjust.ts'
import {
  type ForeignOrder,
  type HistoryQuery,
  historyKey,
  type PlayerHistory,
  type Profile,
  type Snapshot,
  toBalanceQuery,
} from '../engine/points/ledger/snapshot.ts'
import type { Account, RecordedOrder, Redemption, Referrer, SentOrder } from '../engine/points/model.ts'
import type { Program, PublishedProgram } from '../engine/points/program-model.ts'
import { countsDays, programAt, readsBalance } from '../engine/points/programs.ts'
import { redeemedBy } from '../engine/points/redeem-rules.ts'
import type { Amount, AttributeSet, Instant, OrderId, UserId } from '../engine/points/units.ts'
import { type AccountJson, accountOf, listAccounts } from './accounts.ts'
import { findAttributeSets } from './attribute-sets.ts'
import { listAdjustments } from './entries.ts'
import { historyKept, type KeptMovements } from './kept-movements.ts'
import { findSetsOf, type OrderRow, toRecordedOrder } from './recorded-orders.ts'
import { type RedemptionJson, redemptionOf } from './stored-redemptions.ts'

/** What to read to compute an order. `histories`: those of its player that it takes if it is new; absent: none. */
export type OrderQuery = Readonly<{
  userId: UserId
  orderId: OrderId
  skus: readonly string[]
  code: string
  histories?: readonly HistoryQuery[]
}>

/**
 * What to read in order to compute this order, as far as is known before. `now` is the moment of an order that names none; `needsBalance` as in
 * `evaluateOrder`.
 */
export function toOrderQuery(
  sent: SentOrder,
  programs: readonly PublishedProgram[],
  now: Instant,
  needsBalance: (program: Program) => boolean = readsBalance,
): OrderQuery {
  const { userId, id, lines, referralCode } = sent
  const skus = lines.flatMap(({ sku }) => sku ?? [])
  const program = countsDays(programs) ? programAt(programs, sent.at ?? now)?.program : undefined
  const histories = program === undefined ? [] : historiesFor(sent, program, needsBalance(program))
  return { userId, orderId: id, skus, code: referralCode, histories }
}

/** The balance if it is needed, and what the points to be redeemed are drawn on. */
function historiesFor(sent: SentOrder, program: Program, needsBalance: boolean): HistoryQuery[] {
  const { userId, redemptionId = '' } = sent
  const redeems = program.redeem !== undefined && redeemedBy(sent) > 0n
  return [
    ...(needsBalance || (redeems && redemptionId === '') ? [toBalanceQuery(userId)] : []),
    ...(redeems && redemptionId !== '' ? [{ userId, orderId: '', redemptionId }] : []),
  ]
}

type InputRow = Readonly<
  | { kind: 'player' | 'erased' | 'account' | 'owner' | 'redemption'; key: string; value: string }
  | { kind: 'movements'; key: string; value: string | null }
  /** All products in one row, tab-separated (keys contain no tabs); null if none is known. */
  | { kind: 'products'; key: string | null; value: string | null }
>
type RecordRow = Readonly<
  | { kind: 'order'; key: string; value: string; record: OrderRow }
  | { kind: 'code'; key: string; value: string; record: boolean | null }
  | { kind: 'account'; key: string; record: AccountJson }
>

const inputsSql = sqlFile(import.meta.url, 'order-inputs')
const inputsWithHistoriesSql = sqlFile(import.meta.url, 'order-inputs-with-histories')
const recordsSql = sqlFile(import.meta.url, 'order-records')

/**
 * Reads what the engine needs to compute orders: one statement for all of them, and another if any is already recorded or carries a referral
 * code. Sums over windows come from `listWindowSums`, histories that are not in `queries` from `listHistories`.
 */
export async function readSnapshot(db: Queryable, queries: readonly OrderQuery[]): Promise<Snapshot> {
  const rows = await listInputs(db, queries)
  const profiles = new Map<string, Profile>()
  const erased = new Set<string>()
  const accounts = new Map<string, Account>()
  const catalogue = new Map<string, Amount>()
  const digests = new Map<string, string>()
  const orders = new Map<string, RecordedOrder | ForeignOrder>()
  const movements = new Map<UserId, string | null>()
  const redemptions = new Map<UserId, Redemption[]>()
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
      case 'movements':
        movements.set(row.key, row.value)
        break
      case 'redemption':
        redemptions
          .getOrInsertComputed(row.key, () => [])
          .push(redemptionOf(row.key, JSON.parse(row.value) as RedemptionJson))
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
  const histories = historiesIn(queries, { accounts, movements, redemptions })
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

/** What was asked for, of players whose accounts have not been written since; of those without an account it is empty. */
function historiesIn(
  queries: readonly OrderQuery[],
  read: Readonly<{
    accounts: ReadonlyMap<UserId, Account>
    movements: ReadonlyMap<UserId, string | null>
    redemptions: ReadonlyMap<UserId, readonly Redemption[]>
  }>,
): Map<string, PlayerHistory> {
  const { accounts, redemptions } = read
  const histories = new Map<string, PlayerHistory>()
  for (const query of historyQueriesIn(queries)) {
    const { userId, redemptionId } = query
    const movements = movementsAt(accounts.get(userId), read.movements.get(userId))
    if (movements === undefined) continue
    histories.getOrInsertComputed(historyKey(query), () => ({
      ...historyKept(movements),
      own: [],
      redemptions: (redemptions.get(userId) ?? []).filter(({ id, state }) => state === 'held' || id === redemptionId),
    }))
  }
  return histories
}

/** Undefined if they are of another revision than the account: the second statement may have read a later one. */
function movementsAt(account: Account | undefined, read: string | null | undefined): KeptMovements | undefined {
  if (account === undefined) return ''
  if (typeof read !== 'string') return undefined
  const end = read.indexOf(' ')
  return BigInt(read.slice(0, end)) === account.rev ? read.slice(end + 1) : undefined
}

function historyQueriesIn(queries: readonly OrderQuery[]): HistoryQuery[] {
  return queries.flatMap(({ histories = [] }) => histories)
}

function listInputs(db: Queryable, queries: readonly OrderQuery[]): Promise<InputRow[]> {
  const params = [
    queries.map(({ userId }) => userId),
    queries.map(({ orderId }) => orderId),
    [...new Set(queries.flatMap(({ skus }) => skus))],
  ]
  const histories = historyQueriesIn(queries)
  if (histories.length === 0) return db.query<InputRow>(inputsSql, params)
  const named = histories.flatMap(({ redemptionId }) => (redemptionId === '' ? [] : [redemptionId]))
  return db.query<InputRow>(inputsWithHistoriesSql, [
    ...params,
    [...new Set(histories.map(({ userId }) => userId))],
    [...new Set(named)],
  ])
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
