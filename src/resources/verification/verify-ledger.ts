import type { Queryable } from '../../database/db/driver.ts'
import { takeSnapshot } from '../../database/db/shared-snapshot.ts'
import type { Db } from '../../database/db/transaction.ts'
import { recompute, requireProgramVersion } from '../../engine/points/ledger/recompute.ts'
import { computePointTerms } from '../../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { findTotals, sumAccounts } from '../../ledger/account-figures.ts'
import type { AttributeSets } from '../../ledger/attribute-sets.ts'
import { findWrongMovements } from '../../ledger/kept-movements.ts'
import { findSetsOf, toRecordedOrder } from '../../ledger/recorded-orders.ts'
import { checkStatistics } from '../../ledger/tallies.ts'
import { readPrograms } from '../programs/stored-programs.ts'
import {
  checkAccounts,
  listOrdersToCheck,
  listOwnersWithoutOrder,
  type OrderToCheck,
  type SumDifference,
} from './store.ts'

/** The result of a verification. `differences` holds the first 100 as sentences, `differing` counts them all. */
export type LedgerReport = Readonly<{
  players: number
  orders: number
  entries: bigint
  /** Orders of players who were erased: their sums are checked, their points cannot be computed anew. */
  erased: number
  differing: number
  differences: readonly string[]
}>

/** The result as one document, as commands and jobs answer it. */
export type LedgerDocument = Omit<ReturnType<typeof ledgerDocumentOf>, 'erased'> & Readonly<{ erased?: number }>

/** `differences` holds the first ones as sentences, `differing` counts all; `entries` is a string, as it may exceed 2^53. */
export function ledgerDocumentOf({ entries, ...report }: LedgerReport) {
  const { players, orders, erased, differing, differences } = report
  return { players, orders, entries: String(entries), erased, differing, differences }
}

const PAGE_PLAYERS = 1_000
const PAGE_ORDERS = 1_000
const DIFFERENCES_MAX = 100
/** The whole ledger is read from one snapshot. */
const TIMEOUT_MS = 24 * 3_600_000

/**
 * Derives again everything that is stored redundantly: every account, what it keeps and every order's sum from the entries; what every order earns from its
 * state, its facts and its program; the statistics from the entries; and what all accounts have outstanding, if none waits to be counted.
 * Read-only, on one snapshot taken at the start; others may write meanwhile.
 * `onProgress` is called with the numbers of players and orders done. Errors: Unavailable, OperatorError.
 */
export async function verifyLedger(
  db: Db,
  onProgress: (done: { players: number; orders: number }) => void,
): Promise<LedgerReport> {
  return db.transaction(async (tx) => {
    await takeSnapshot(tx, db)
    return verifyWithin(tx, onProgress)
  }, performance.now() + TIMEOUT_MS)
}

/** The same within a transaction, of what it sees. */
export async function verifyWithin(
  reader: Queryable,
  onProgress: (done: { players: number; orders: number }) => void,
): Promise<LedgerReport> {
  const report = { players: 0, orders: 0, entries: 0n, erased: 0, differing: 0, differences: [] as string[] }
  const addDifferences = (sentences: readonly string[]) => {
    report.differing += sentences.length
    report.differences.push(...sentences.slice(0, DIFFERENCES_MAX - report.differences.length))
  }
  for (let after: string | null = ''; after !== null; ) {
    const page = await checkAccounts(reader, after, PAGE_PLAYERS)
    report.players += page.players
    report.entries += BigInt(page.entries)
    addDifferences(page.differences.map(sentenceOf))
    after = page.last
    onProgress(report)
  }
  for (let after: string | null = ''; after !== null; ) {
    const page = await findWrongMovements(reader, after, PAGE_PLAYERS)
    addDifferences(
      page.userIds.map((id) => `account of ${id}: the movements that it keeps are not those that its entries give`),
    )
    after = page.last
  }
  const programs = await readPrograms(reader)
  for (let after = { userId: '', orderId: '' }; ; ) {
    const page = await listOrdersToCheck(reader, after, PAGE_ORDERS)
    const last = page.at(-1)
    if (last === undefined) break
    report.orders += page.length
    report.erased += page.filter(isErased).length
    const sets = await findSetsOf(
      reader,
      page.map(({ recorded }) => recorded),
    )
    for (const order of page) addDifferences(issuesOf(order, sets, programs))
    after = { userId: last.user_id, orderId: last.order_id }
    onProgress(report)
  }
  const ownerless = await listOwnersWithoutOrder(reader, DIFFERENCES_MAX)
  addDifferences(ownerless.map((id) => `order ${id} has an owner but is not recorded`))
  const statistics = await checkStatistics(reader, DIFFERENCES_MAX)
  addDifferences(
    statistics.differences.map(
      ({ line, stored, derived }) =>
        `statistics of ${line}: stored ${stored ?? 'nothing'}; its entries give ${derived ?? 'nothing'}`,
    ),
  )
  report.differing += statistics.differing - statistics.differences.length
  addDifferences(await totalsIssues(reader, programs))
  return report
}

/** Where the totals of all accounts differ from what the accounts give. Not known while accounts wait to be counted. */
async function totalsIssues(reader: Queryable, programs: readonly PublishedProgram[]): Promise<string[]> {
  const stored = await findTotals(reader, programs)
  if (stored?.quality !== 'exact') return []
  const derived = await sumAccounts(reader, programs, stored.at)
  return (['outstanding', 'pending', 'held', 'expired'] as const)
    .filter((name) => stored[name] !== String(derived[name]))
    .map((name) => `${name} points of all accounts: stored ${stored[name]}; the accounts give ${derived[name]}`)
}

function sentenceOf({ what, user_id, order_id, redemption_id, at, stored, derived }: SumDifference): string {
  const aboutOrder = `${what} points of order ${order_id} for ${user_id} at ${at}`
  const about =
    what === 'account'
      ? `account of ${user_id}`
      : redemption_id === undefined
        ? aboutOrder
        : `redemption ${redemption_id} of ${user_id}`
  const names = Object.keys(derived).filter((name) => stored[name] !== derived[name])
  if (names.length === 0) return `${about}: its entry numbers have gaps`
  const [kept, sums] = [stored, derived].map((values) => names.map((name) => `${name} ${values[name] ?? 'nothing'}`))
  return `${about}: stored ${kept!.join(', ')}; its entries give ${sums!.join(', ')}`
}

/** What is wrong with one order, apart from its sums. */
function issuesOf(row: OrderToCheck, sets: AttributeSets, programs: readonly PublishedProgram[]): string[] {
  const about = `order ${row.order_id} of ${row.user_id}`
  const owner = row.owner_id === row.user_id ? [] : [`${about}: its owner is ${row.owner_id ?? 'no one'}`]
  if (isErased(row)) return owner
  try {
    return [...owner, ...recomputed(row, sets, programs).map((issue) => `${about}: ${issue}`)]
  } catch (error) {
    return [...owner, `${about}: it cannot be computed (${(error as Error).message})`]
  }
}

function isErased({ recorded }: OrderToCheck): boolean {
  return recorded.facts.erased === true
}

function recomputed(row: OrderToCheck, sets: AttributeSets, programs: readonly PublishedProgram[]): string[] {
  const recorded = toRecordedOrder(row.order_id, row.user_id, row.recorded, sets)
  const { order, points, referrer } = recorded
  const firstOrderId = row.first_order_id ?? undefined
  const prediction = recompute(recorded, firstOrderId, programs)
  const earned = prediction.referrer?.points ? prediction.referrer : undefined
  const terms = computePointTerms(requireProgramVersion(recorded, programs).program, order)
  const days = termsText([terms?.usableOn ?? null, terms?.expiresOn ?? null, terms?.slides ?? null])
  const otherDays = row.terms.map(termsText).find((text) => text !== days)
  const stored = `${referrer?.points ?? 0n} points for ${referrer?.userId ?? 'no one'}`
  const due = `${earned?.points ?? 0n} points for ${earned?.userId ?? 'no one'}`
  return [
    ...(prediction.points === points ? [] : [`stored points ${points}, its program gives ${prediction.points}`]),
    ...(stored === due ? [] : [`stored as referral ${stored}, its program gives ${due}`]),
    ...(otherDays === undefined ? [] : [`stored with the dates ${otherDays}, its program gives ${days}`]),
    ...(order.status === 'placed' && firstOrderId === undefined
      ? ['it is placed but its player has no first order']
      : []),
  ]
}

function termsText([usableOn, expiresOn, slides]: OrderToCheck['terms'][number]): string {
  return usableOn === null ? 'of no program' : `${usableOn} to ${expiresOn}${slides ? ', sliding' : ''}`
}
