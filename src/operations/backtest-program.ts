import { availableParallelism } from 'node:os'
import type { Level, Program } from '../points/program-model.ts'
import { countOrders, exportSnapshot, listRanges, placeOf, useSnapshot } from '../store/backtest.ts'
import type { Db } from '../store/db/transaction.ts'
import { heldAt } from '../whatif/backtest.ts'
import { createTally, mergeTally, type Tally } from '../whatif/tally.ts'
import { type BacktestRequest, type Credit, DEADLINE_MS, knowsReferrals, readTask } from './workers/backtest-range.ts'
import { distribute, inProcessWorker, openThreadWorker, type ServerConnection } from './workers/backtest-workers.ts'

/** What came of it, with the ladders that levels were told by. */
export type BacktestOutcome = Readonly<{
  tally: Tally
  ladders: Readonly<{ before: readonly Level[]; after: readonly Level[] }>
  candidate: Program
  held: Program
  from: string | undefined
  to: string | undefined
  levelsAt: string
}>

/** Who does the work: with a `server` threads, else this one. The outcome is the same, also for any number of orders that a range has at least. */
export type BacktestWork = Readonly<{ server?: ServerConnection | undefined; threads?: number; rangeOrders?: number }>

const THREADS_MAX = 4

/**
 * Computes the recorded orders of a span under another program. Reads only, everything as it is when it begins.
 * `tell` hears how many orders of how many are done. Errors: Unavailable, OperatorError.
 */
export async function backtestProgram(
  db: Db,
  wish: BacktestRequest,
  tell: (done: number, of: number) => void,
  { server, threads = Math.min(availableParallelism(), THREADS_MAX), rangeOrders }: BacktestWork = {},
): Promise<BacktestOutcome> {
  const deadlineAt = performance.now() + DEADLINE_MS
  return await db.transaction(async (tx) => {
    await useSnapshot(tx)
    const ranges = await listRanges(tx, rangeOrders)
    const task = await readTask(tx, wish)
    const start = server && { place: server, moment: await exportSnapshot(tx), wish }
    const hands =
      start === undefined
        ? [inProcessWorker(tx, task)]
        : Array.from({ length: Math.min(threads, ranges.length) }, () => openThreadWorker(start))
    try {
      const orders = await countOrders(tx, task.span)
      tell(0, orders)
      const credits = ranges.map((): Credit[] => [])
      if (knowsReferrals(task))
        await distribute(hands, ranges, async (hand, range) => {
          for (const credit of await hand.findCredits(range)) credits[placeOf(credit.userId, ranges)]!.push(credit)
        })
      const { candidate, held: programs, levelsAt } = task.plan
      const held = heldAt(programs, levelsAt)
      const ladders = { before: held.levels.ladder, after: candidate.levels.ladder }
      let tally: Tally = createTally(ladders).sums
      await distribute(hands, ranges, async (hand, range, place) => {
        const part = await hand.tallyPlayers(range, credits[place]!)
        tally = mergeTally(tally, part)
        tell(tally.orders, orders)
      })
      return { tally, ladders, candidate, held, from: wish.from, to: wish.to, levelsAt }
    } finally {
      await Promise.all(hands.map((hand) => hand.close()))
    }
  }, deadlineAt)
}
