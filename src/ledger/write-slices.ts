/*
 * Writes orders, adjustments and redemptions to the ledger (docs/decisions/0105-batch-writes.md).
 */

import type { Queryable } from '../database/db/driver.ts'
import type { Tx } from '../database/db/transaction.ts'
import { assertConsistent, type LedgerBefore } from '../engine/points/ledger/consistency.ts'
import { type LedgerChange, redemptionsIn } from '../engine/points/ledger/pending-ledger.ts'
import { type LedgerTally, MICROS_PER_POINT, tallyEntries } from '../engine/points/ledger/tally-entries.ts'
import { countsDays } from '../engine/points/programs.ts'
import { LEDGER_LINES, type LedgerLine, type Observation } from '../telemetry/observation.ts'
import { dropReplaced, noneReplacedSteps } from './erasures.ts'
import type { LedgerDeps } from './ledger-deps.ts'
import { type AccountToLock, lockAccounts, writeToLedger } from './write-ledger.ts'

/** What was decided on a record. */
type LedgerVerdict = Readonly<{ refused: unknown } | { done: string }>

/** The result of computing a slice: the change to write, the state it was computed from, and a verdict for each record. */
export type ComputedSlice<Verdict> = Readonly<{
  change: LedgerChange
  before: LedgerBefore
  verdicts: readonly Verdict[]
}>

/** `wanted` are the accounts needed by all records of the request; `at` is the moment of the request (RFC 3339). */
export type LedgerWrite<T, Verdict> = Readonly<{
  compute: (db: Queryable, slice: readonly T[]) => Promise<ComputedSlice<Verdict>>
  wanted: readonly AccountToLock[]
  /** Runs first in each attempt, if all slices share a transaction. */
  begin?: (tx: Tx) => Promise<unknown>
  /** Writes whatever else belongs in the transaction of a slice. */
  writeAlongside?: (tx: Tx, slice: readonly T[], verdicts: readonly Verdict[]) => Promise<void>
  at: string
  deadlineAt: number
}>

/**
 * Computes and writes slice after slice; returns the verdicts on all records, in order. With concurrent writers, requests for the same players
 * queue within this process, and a request that finds an account changed by another process is run again. One that runs again after a COMMIT of
 * unknown outcome, and finds its own work done, gets the verdicts of the first time, and reports to the metrics what was written then.
 *
 * Errors: Unavailable; AssertionError for an inconsistent change. On an error nothing of that slice is written; nor of earlier slices, if all
 * of them share one transaction.
 */
export async function writeSlices<T, Verdict extends LedgerVerdict>(
  deps: Pick<LedgerDeps, 'db' | 'playerQueue' | 'observe' | 'programs' | 'erasureKey'>,
  slices: readonly (readonly T[])[],
  { compute, wanted, begin, writeAlongside, at, deadlineAt }: LedgerWrite<T, Verdict>,
): Promise<Verdict[]> {
  const { db, playerQueue, observe, programs, erasureKey } = deps
  // A request of one slice writes its accounts with a single sorted statement, and needs no locks unless an attempt has failed.
  const isLockingFirst = slices.length > 1 || wanted.some(({ code }) => code !== undefined && code !== '')
  const lock = async (tx: Tx, attempt: number) => {
    await begin?.(tx)
    if (!isLockingFirst && attempt === 1) return
    // One that was created for a player who was erased meanwhile, under the id from before.
    await dropReplaced(tx, erasureKey, await lockAccounts(tx, wanted))
  }
  // By slice: what the last attempt that came so far wrote, and what the last one that may have been committed wrote.
  const attempted = new Map<number, Readonly<{ attempt: number; result: WrittenSlice<Verdict> }>>()
  const earlier = new Map<number, WrittenSlice<Verdict>>()
  const computeAndWrite = async (tx: Tx, slice: readonly T[], position: number) => {
    const last = attempted.get(position)
    if (last !== undefined && last.attempt === tx.unknownAttempt) earlier.set(position, last.result)
    const { change, before, verdicts } = await compute(tx, slice)
    // Where nobody else writes, what was read cannot change.
    const guards = db.hasOtherWriters ? noneReplacedSteps(erasureKey, playersIn(change)) : []
    const tallies = await writeChange(tx, change, before, { at, keepsMovements: countsDays(programs()), guards })
    const computed = { verdicts, tallies, redemptions: redemptionsOf(change) }
    const result = withOwnWork(computed, earlier.get(position))
    // What is found undone was not committed, and whoever does it later is somebody else.
    if (result === computed) earlier.delete(position)
    attempted.set(position, { attempt: tx.attempt, result })
    await writeAlongside?.(tx, slice, result.verdicts)
    return result
  }
  const write = () => db.inSlices(slices, computeAndWrite, deadlineAt, lock)
  const userIds = new Set(wanted.map(({ userId }) => userId))
  const results = db.hasOtherWriters ? await playerQueue.run(userIds, deadlineAt, write) : await write()
  const lines = observedLines(results.flatMap(({ tallies }) => tallies))
  if (lines.length > 0) observe({ kind: 'ledger-written', lines })
  for (const redemptions of results.flatMap((slice) => slice.redemptions))
    observe({ kind: 'redemptions-written', ...redemptions })
  return results.flatMap(({ verdicts }) => verdicts)
}

/** The players whose ids a change writes. */
function playersIn({ accounts, orders }: LedgerChange): string[] {
  const owners = [...orders.values()].flatMap(({ facts }) => [...facts.codes.values()])
  return [...accounts.keys(), ...owners.flatMap((owner) => ('referrerId' in owner ? [owner.referrerId] : []))]
}

/** What became of a slice: its verdicts, and what to report to the metrics. */
type WrittenSlice<Verdict> = Readonly<{
  verdicts: readonly Verdict[]
  tallies: readonly LedgerTally[]
  redemptions: readonly WrittenRedemptions[]
}>

/**
 * A slice found after a COMMIT of unknown outcome, with the work of the attempt before, if that was committed: a record that it wrote is now
 * unchanged. All that it wrote was committed together, so records that are not written again have its verdicts.
 *
 * This is not `changeOnce` (database/db/own-retry.ts), which has one mark for the whole change: orders and redemptions leave no audit record.
 * Here each record is its own mark, as the ledger keeps states by their ids. What others have changed since is computed and written again, as
 * for any request that comes after theirs; versions of states are there to prevent it.
 */
function withOwnWork<Verdict extends LedgerVerdict>(
  computed: WrittenSlice<Verdict>,
  earlier: WrittenSlice<Verdict> | undefined,
): WrittenSlice<Verdict> {
  const isChange = (verdict: Verdict) => 'done' in verdict && verdict.done !== 'unchanged'
  const isUnchanged = (verdict: Verdict) => 'done' in verdict && verdict.done === 'unchanged'
  const wasCommitted = earlier?.verdicts.some(
    (first, index) => isChange(first) && isUnchanged(computed.verdicts[index]!),
  )
  if (earlier === undefined || !wasCommitted) return computed
  return {
    verdicts: computed.verdicts.map((verdict, index) => (isChange(verdict) ? verdict : earlier.verdicts[index]!)),
    tallies: [...earlier.tallies, ...computed.tallies],
    redemptions: [...earlier.redemptions, ...computed.redemptions],
  }
}

/**
 * Checks that a change is consistent, and writes it with its statistics, which it returns. Errors: AssertionError, with nothing written; those
 * of the database.
 */
async function writeChange(
  tx: Tx,
  change: LedgerChange,
  before: LedgerBefore,
  more: Parameters<typeof writeToLedger>[3],
): Promise<readonly LedgerTally[]> {
  assertConsistent(change, before)
  const tallies = tallyEntries(change, before)
  await writeToLedger(tx, change, tallies, more)
  return tallies
}

/** What the metrics count of redemptions. */
type WrittenRedemptions = Omit<Extract<Observation, { kind: 'redemptions-written' }>, 'kind'>

/** What to report to the metrics about redemptions; empty if there are none. */
function redemptionsOf(change: LedgerChange): WrittenRedemptions[] {
  const states = redemptionsIn(change).map(({ state }) => state)
  const points = change.entries.filter(({ kind }) => kind === 'redemption').map((entry) => Number(entry.points))
  if (states.length === 0 && points.length === 0) return []
  const sumOf = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0)
  const redeemed = -sumOf(points.filter((one) => one < 0))
  return [{ redeemed, refunded: sumOf(points.filter((one) => one > 0)), states }]
}

/** What to report to the metrics about the entries written; points are whole, as in entries. */
function observedLines(tallies: readonly LedgerTally[]): LedgerLine[] {
  return tallies.flatMap(({ measure, key, n, micros }) => {
    const observed = LEDGER_LINES.find((one) => one === measure)
    return observed === undefined ? [] : [{ measure: observed, key, n, points: Number(micros / MICROS_PER_POINT) }]
  })
}
