import { availableParallelism } from 'node:os'
import { exportSnapshot, takeSnapshot } from '../../database/db/shared-snapshot.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Level, Program } from '../../engine/points/program-model.ts'
import type { AttributeSource } from '../../engine/whatif/attributes-now.ts'
import { programInEffectAt } from '../../engine/whatif/backtest.ts'
import { needsBalances } from '../../engine/whatif/backtest-balances.ts'
import { LEFT_OUT } from '../../engine/whatif/left-out.ts'
import { mergeTally } from '../../engine/whatif/merge-tally.ts'
import { createTally, type Tally } from '../../engine/whatif/tally.ts'
import type { ServerConnection } from './backtest-messages.ts'
import { type BacktestRequest, type Credit, DEADLINE_MS, knowsReferrals, readTask } from './backtest-range.ts'
import { distribute, inProcessWorker, openThreadWorker } from './backtest-workers.ts'
import { countOrders, listRanges, rangeIndexOf } from './store.ts'

/** The result of a backtest. `ladders` are the levels of the program in effect and of the candidate. */
export type BacktestOutcome = Readonly<{
  tally: Tally
  ladders: Readonly<{ before: readonly Level[]; after: readonly Level[] }>
  candidate: Program
  inEffect: Program
  from: string | undefined
  to: string | undefined
  levelsAt: string
  /** The moment of the request. */
  now: string
  /** The candidate's rules that begin after that day; and how many weeks earlier they were moved. */
  coming: ReadonlySet<string>
  weeksEarlier: number
  /** Whether balances were compared: only if they depend on days under one of the programs. */
  comparesBalances: boolean
  /** Which attributes of products the candidate's rules saw. */
  attributes: AttributeSource
  /** What the candidate's rules could not see of players. */
  leftOut: readonly string[]
}>

/**
 * Who does the work: threads if there is a `server` to connect to, and they can share a snapshot, otherwise this thread. `rangeOrders` is the minimum number of orders in a
 * range of players. The result does not depend on either.
 */
export type BacktestWork = Readonly<{ server?: ServerConnection | undefined; threads?: number; rangeOrders?: number }>

const THREADS_MAX = 4

/**
 * Recomputes the recorded orders of a time range under another program. Read-only, on one snapshot taken at the start.
 * `onProgress` is called with the number of orders done and their total. Errors: Unavailable, OperatorError.
 */
export async function backtestProgram(
  db: Db,
  request: BacktestRequest,
  onProgress: (done: number, total: number) => void,
  { server, threads = Math.min(availableParallelism(), THREADS_MAX), rangeOrders }: BacktestWork = {},
): Promise<BacktestOutcome> {
  const deadlineAt = performance.now() + DEADLINE_MS
  return await db.transaction(async (tx) => {
    await takeSnapshot(tx, db)
    const ranges = await listRanges(tx, rangeOrders)
    const task = await readTask(tx, request)
    const start =
      server === undefined || db.isCluster() ? undefined : { server, snapshot: await exportSnapshot(tx), request }
    const workers =
      start === undefined
        ? [inProcessWorker(tx, task)]
        : Array.from({ length: Math.min(threads, ranges.length) }, () => openThreadWorker(start))
    try {
      const orders = await countOrders(tx, task.timeRange)
      onProgress(0, orders)
      const credits = ranges.map((): Credit[] => [])
      if (knowsReferrals(task))
        await distribute(workers, ranges, async (worker, range) => {
          for (const credit of await worker.findCredits(range))
            credits[rangeIndexOf(credit.userId, ranges)]!.push(credit)
        })
      const { candidate, published, levelsAt } = task.plan
      const inEffect = programInEffectAt(published, levelsAt)
      const ladders = { before: inEffect.levels.ladder, after: candidate.levels.ladder }
      let tally: Tally = createTally(ladders).sums
      await distribute(workers, ranges, async (worker, range, place) => {
        const part = await worker.tallyPlayers(range, credits[place]!)
        tally = mergeTally(tally, part)
        onProgress(tally.orders, orders)
      })
      return {
        tally,
        ladders,
        candidate,
        inEffect,
        from: request.from,
        to: request.to,
        levelsAt,
        now: request.now,
        coming: task.coming,
        weeksEarlier: request.weeksEarlier ?? 0,
        comparesBalances: needsBalances(task.plan),
        attributes: task.plan.attributes,
        leftOut: request.leavesOut ? LEFT_OUT : [],
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.close()))
    }
  }, deadlineAt)
}
