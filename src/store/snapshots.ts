import { parseAmount } from '../points/arithmetic.ts'
import {
  type ForeignOrder,
  type Profile,
  type Snapshot,
  type WindowQuestion,
  windowKey,
} from '../points/ledger/snapshot.ts'
import type { Account, RecordedOrder, SentOrder } from '../points/model.ts'
import type { Amount, OrderId, UserId } from '../points/units.ts'
import { type AccountRow, accountOf } from './account-rows.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import { type OrderRow, recordedOf } from './order-rows.ts'

/** What must be known to compute an order. */
export type OrderQuestion = Readonly<{ userId: UserId; orderId: OrderId; skus: readonly string[]; code: string }>

export function questionFor({ userId, id, lines, referralCode }: SentOrder): OrderQuestion {
  return { userId, orderId: id, skus: lines.flatMap(({ sku }) => sku ?? []), code: referralCode }
}

type InputRow = Readonly<
  | { kind: 'player' | 'account' | 'owner'; key: string; value: string }
  /** All products in one row, between tabs, which keys never hold; null where none is known. */
  | { kind: 'products'; key: string | null; value: string | null }
>
type RecordRow = Readonly<
  | { kind: 'order'; key: string; value: string; facts: OrderRow }
  | { kind: 'code'; key: string; value: string }
  | { kind: 'account'; key: string; facts: AccountRow }
>

const inputsSql = sqlFile('order-inputs')
const recordsSql = sqlFile('order-records')
const sumsSql = sqlFile('entries-window-sums')

/**
 * What the engine needs to compute orders, by one statement for all of them, and another one if any is recorded already or carries a
 * referral code. Sums over windows are asked for with `listWindowSums`.
 */
export async function readSnapshot(db: Queryable, questions: readonly OrderQuestion[]): Promise<Snapshot> {
  const rows = await db.query<InputRow>(inputsSql, [
    questions.map(({ userId }) => userId),
    questions.map(({ orderId }) => orderId),
    [...new Set(questions.flatMap(({ skus }) => skus))],
  ])
  const profiles = new Map<string, Profile>()
  const accounts = new Map<string, Account>()
  const catalogue = new Map<string, Amount>()
  const orders = new Map<string, RecordedOrder | ForeignOrder>()
  for (const row of rows) {
    switch (row.kind) {
      case 'player':
        profiles.set(row.key, profileIn(row.value))
        break
      case 'account':
        accounts.set(row.key, accountIn(row.value))
        break
      case 'products':
        for (const [sku, price] of pricesIn(row)) catalogue.set(sku, price)
        break
      case 'owner':
        orders.set(row.key, { ownerId: row.value })
        break
      default:
        row satisfies never
    }
  }
  const codes = new Map<string, string[]>()
  for (const row of await listRecords(db, questions, orders)) {
    switch (row.kind) {
      case 'order':
        orders.set(row.key, recordedOf(row.key, row.value, row.facts))
        break
      case 'code':
        codes.set(row.key, [...(codes.get(row.key) ?? []), row.value])
        break
      case 'account':
        accounts.set(row.key, accountOf(row.facts))
        break
      default:
        row satisfies never
    }
  }
  return { profiles, accounts, catalogue, orders, codes, sums: new Map(), entriesOf: new Map() }
}

async function listRecords(
  db: Queryable,
  questions: readonly OrderQuestion[],
  owned: ReadonlyMap<string, RecordedOrder | ForeignOrder>,
): Promise<RecordRow[]> {
  const recorded = questions.filter(({ userId, orderId }) => {
    const order = owned.get(orderId)
    return order !== undefined && 'ownerId' in order && order.ownerId === userId
  })
  const codes = new Set(questions.flatMap(({ code }) => (code === '' ? [] : [code])))
  if (recorded.length === 0 && codes.size === 0) return []
  return db.query<RecordRow>(recordsSql, [
    recorded.map(({ userId }) => userId),
    recorded.map(({ orderId }) => orderId),
    [...codes],
  ])
}

/** The answers to questions about windows, by `windowKey`. */
export async function listWindowSums(
  db: Queryable,
  questions: readonly WindowQuestion[],
): Promise<ReadonlyMap<string, bigint>> {
  const column = (name: keyof WindowQuestion) => questions.map((question) => question[name])
  const rows = await db.query<{ place: number; sum: string }>(sumsSql, [
    column('userId'),
    column('orderId'),
    column('from'),
    column('to'),
  ])
  return new Map(rows.map(({ place, sum }) => [windowKey(questions[place - 1]!), BigInt(sum)]))
}

function* pricesIn({ key, value }: { key: string | null; value: string | null }): Iterable<[string, Amount]> {
  if (key === null || value === null) return
  const prices = value.split('\t')
  for (const [index, sku] of key.split('\t').entries()) yield [sku, parseAmount(prices[index]!)!]
}

function profileIn(json: string): Profile {
  const [region, district, country, gender, dateOfBirth] = JSON.parse(json) as [string, string, string, string, string]
  return { region, district, country, gender, dateOfBirth }
}

function accountIn(json: string): Account {
  const [points, counted, orders, entries, first_order_id, rev] = JSON.parse(json) as [
    string,
    string,
    string,
    string,
    string | null,
    string,
  ]
  return accountOf({ points, counted, orders, entries, first_order_id, rev })
}
