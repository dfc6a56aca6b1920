import { type Amount, parseAmount } from '../points/arithmetic.ts'
import { type OthersOrder, type Profile, type Snapshot, type WindowQuestion, windowKey } from '../points/ledger.ts'
import type { Account, RecordedOrder, SentOrder } from '../points/model.ts'
import { type AccountRow, accountOf } from './account-row.ts'
import type { Queryable } from './db.ts'
import { type OrderRow, recordedOf } from './order-json.ts'
import { sqlFile } from './sql-file.ts'

/** What must be known to compute an order. */
export type OrderQuestion = Readonly<{ userId: string; orderId: string; skus: readonly string[]; code: string }>

export function questionOf({ userId, id, lines, referralCode }: SentOrder): OrderQuestion {
  return { userId, orderId: id, skus: lines.flatMap(({ sku }) => sku ?? []), code: referralCode }
}

type Row = Readonly<
  | { kind: 'player'; key: string; facts: ProfileRow }
  | { kind: 'account'; key: string; facts: AccountRow }
  | { kind: 'product' | 'owner' | 'code'; key: string; value: string }
  | { kind: 'order'; key: string; value: string; facts: OrderRow }
>
type ProfileRow = Readonly<{ state: string; district: string; country: string; gender: string; date_of_birth: string }>
const inputsSql = sqlFile('order-inputs')
const sumsSql = sqlFile('entries-window-sums')

/** What the engine needs to compute orders, by one statement for all of them. Sums over windows are asked for with `listWindowSums`. */
export async function readSnapshot(db: Queryable, questions: readonly OrderQuestion[]): Promise<Snapshot> {
  const rows = await db.query<Row>(inputsSql, [
    questions.map(({ userId }) => userId),
    questions.map(({ orderId }) => orderId),
    [...new Set(questions.flatMap(({ skus }) => skus))],
    [...new Set(questions.flatMap(({ code }) => (code === '' ? [] : [code])))],
  ])
  const profiles = new Map<string, Profile>()
  const accounts = new Map<string, Account>()
  const catalogue = new Map<string, Amount>()
  const orders = new Map<string, RecordedOrder | OthersOrder>()
  const codes = new Map<string, string[]>()
  for (const row of rows) {
    switch (row.kind) {
      case 'player':
        profiles.set(row.key, profileOf(row.facts))
        break
      case 'account':
        accounts.set(row.key, accountOf(row.facts))
        break
      case 'product':
        catalogue.set(row.key, parseAmount(row.value)!)
        break
      case 'owner':
        // The order itself, where it is there, says more.
        if (!orders.has(row.key)) orders.set(row.key, { ownerId: row.value })
        break
      case 'order':
        orders.set(row.key, recordedOf(row.key, row.value, row.facts))
        break
      case 'code':
        codes.set(row.key, [...(codes.get(row.key) ?? []), row.value])
        break
      default:
        row satisfies never
    }
  }
  return { profiles, accounts, catalogue, orders, codes, sums: new Map(), entriesOf: new Map() }
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

function profileOf({ date_of_birth: dateOfBirth, ...profile }: ProfileRow): Profile {
  return { ...profile, dateOfBirth }
}
