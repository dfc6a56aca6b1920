import { recompute } from '../points/ledger.ts'
import type { PublishedProgram } from '../points/model.ts'
import {
  type CheckedOrder,
  checkAccounts,
  listOrdersToCheck,
  listOwnersWithoutOrder,
  type SumDifference,
} from '../store/ledger-check.ts'
import { readerOf } from '../store/reader.ts'
import type { Db } from '../store/transaction.ts'
import { loadPrograms } from './load-programs.ts'

/** What verifying found. `differences` holds the first ones as sentences, `differing` counts them all. */
export type LedgerReport = Readonly<{
  players: number
  orders: number
  entries: bigint
  differing: number
  differences: readonly string[]
}>

const PAGE_PLAYERS = 1_000
const PAGE_ORDERS = 1_000
const DIFFERENCES_TOLD_MAX = 100
const PAGE_TIMEOUT_MS = 60_000

/**
 * Derives everything that the store keeps for speed anew: every account and every order's sum from the entries, and what every order
 * earns from its state, its facts and its program. Reads only; each page is one snapshot, so that others may write meanwhile.
 * `tell` hears how many players and orders are done. Errors: Unavailable, OperatorError.
 */
export async function verifyLedger(
  db: Db,
  tell: (done: { players: number; orders: number }) => void,
): Promise<LedgerReport> {
  const reader = () => readerOf(db, performance.now() + PAGE_TIMEOUT_MS)
  const programs = await loadPrograms(db, performance.now() + PAGE_TIMEOUT_MS)
  const report = { players: 0, orders: 0, entries: 0n, differing: 0, differences: [] as string[] }
  const differ = (sentences: readonly string[]) => {
    report.differing += sentences.length
    report.differences.push(...sentences.slice(0, DIFFERENCES_TOLD_MAX - report.differences.length))
  }
  for (let after: string | null = ''; after !== null; ) {
    const page = await checkAccounts(reader(), after, PAGE_PLAYERS)
    report.players += page.players
    report.entries += BigInt(page.entries)
    differ(page.differences.map(sentenceOf))
    after = page.last
    tell(report)
  }
  for (let after = { userId: '', orderId: '' }; ; ) {
    const page = await listOrdersToCheck(reader(), after, PAGE_ORDERS)
    const last = page.at(-1)?.recorded.order
    if (last === undefined) break
    report.orders += page.length
    for (const order of page) differ(faultsOf(order, programs))
    after = { userId: last.userId, orderId: last.id }
    tell(report)
  }
  const ownerless = await listOwnersWithoutOrder(reader(), DIFFERENCES_TOLD_MAX)
  differ(ownerless.map((id) => `order ${id} has an owner, and is not recorded`))
  return report
}

function sentenceOf({ what, user_id, order_id, stored, derived }: SumDifference): string {
  const about = what === 'account' ? `account of ${user_id}` : `${what} points of order ${order_id} for ${user_id}`
  const names = Object.keys(derived).filter((name) => stored[name] !== derived[name])
  if (names.length === 0) return `${about}: its entries are not numbered without gaps`
  const [kept, sums] = [stored, derived].map((values) => names.map((name) => `${name} ${values[name] ?? 'nothing'}`))
  return `${about}: stored ${kept!.join(', ')}; its entries give ${sums!.join(', ')}`
}

/** What is wrong with one order. */
function faultsOf(
  { recorded, ownerId, firstOrderId, given, givenToReferrer }: CheckedOrder,
  programs: readonly PublishedProgram[],
): string[] {
  const { order, points, referrer } = recorded
  const prediction = recompute(recorded, firstOrderId, programs)
  const earned = prediction.referrer?.points ? prediction.referrer : undefined
  const faults: [boolean, string][] = [
    [ownerId !== order.userId, `its owner is ${ownerId ?? 'nobody'}`],
    [given !== points, `stored points ${points}, its entries give ${given ?? 'nothing'}`],
    [prediction.points !== points, `stored points ${points}, its program gives ${prediction.points}`],
    [
      (givenToReferrer ?? 0n) !== (referrer?.points ?? 0n),
      `stored points ${referrer?.points ?? 0n} for its referrer, the entries give ${givenToReferrer ?? 0n}`,
    ],
    [
      earned?.userId !== referrer?.userId || (earned?.points ?? 0n) !== (referrer?.points ?? 0n),
      `stored referrer ${referrer?.userId ?? 'nobody'}, its program gives ${earned?.userId ?? 'nobody'}`,
    ],
    [order.status === 'placed' && firstOrderId === undefined, 'it is placed, and its player has no first order'],
  ]
  return faults.flatMap(([isWrong, text]) => (isWrong ? [`order ${order.id} of ${order.userId}: ${text}`] : []))
}
