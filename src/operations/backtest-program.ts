import { OperatorError } from '../errors.ts'
import {
  asksForEntries,
  type Backtest,
  type BacktestPlan,
  type CreditChange,
  creditChanges,
  heldAt,
  openBacktest,
} from '../points/backtest.ts'
import type { Tally } from '../points/backtest-tally.ts'
import { windowStart } from '../points/levels.ts'
import type { Level, Program } from '../points/model.ts'
import { openTimeline, type Timeline } from '../points/timeline.ts'
import {
  type BacktestReader,
  countOrders,
  lookAtOneMoment,
  openReader,
  type PlayerRows,
  type Span,
} from '../store/backtest.ts'
import type { Db } from '../store/transaction.ts'
import { readPrograms } from './load-programs.ts'

/** What is asked: `from` and `to` are moments (RFC 3339), the second not in the span; absent: all orders. `now` is when levels are looked at without `to`. */
export type BacktestWish = Readonly<{
  candidate: Program
  from?: string | undefined
  to?: string | undefined
  now: string
}>

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

/** A backtest may take hours, and tells how far it is. */
const DEADLINE_MS = 2 ** 30

/**
 * Computes the recorded orders of a span under another program. Reads only, everything as it is when it begins.
 * `tell` hears how many orders of how many are done. Errors: Unavailable, OperatorError.
 */
export async function backtestProgram(
  db: Db,
  wish: BacktestWish,
  tell: (done: number, of: number) => void,
): Promise<BacktestOutcome> {
  const deadlineAt = performance.now() + DEADLINE_MS
  return await db.transaction(async (tx) => {
    await lookAtOneMoment(tx)
    const span: Span = { from: wish.from ?? '-infinity', to: wish.to ?? 'infinity' }
    const orders = await countOrders(tx, span)
    const held = await readPrograms(tx)
    const plan: BacktestPlan = { candidate: wish.candidate, held, levelsAt: wish.to ?? wish.now }
    const backtest = openBacktest(plan)
    tell(0, orders)
    await takePlayers(openReader(tx), backtest, plan, { span, to: wish.to }, (done) => tell(done, orders))
    const { from, to, candidate } = wish
    const program = heldAt(held, plan.levelsAt)
    const ladders = { before: program.levels.ladder, after: candidate.levels.ladder }
    return { tally: backtest.tally(), ladders, candidate, held: program, from, to, levelsAt: plan.levelsAt }
  }, deadlineAt)
}

/** Takes every account with its orders, and who would get points without having one. */
async function takePlayers(
  reader: BacktestReader,
  backtest: Backtest,
  plan: BacktestPlan,
  { span, to }: Readonly<{ span: Span; to: string | undefined }>,
  tell: (done: number) => void,
): Promise<void> {
  const credits = await readCredits(reader, plan, span)
  const creditsOf = (userId: string): readonly CreditChange[] => {
    const own = credits.get(userId) ?? []
    credits.delete(userId)
    return own.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  }
  const orders = await reader.orders(span)
  const entries = asksForEntries(plan) ? await reader.entries(span.to) : undefined
  let done = 0
  for await (const { userId, firstOrderId, held, candidate } of reader.players(countingFrom(plan, to))) {
    const player = backtest.player({
      userId,
      firstOrderId,
      counted: { before: held, after: candidate },
      credits: creditsOf(userId),
      ...(entries === undefined ? {} : { counting: await timelineOf(entries, userId) }),
    })
    await orders.each(userId, (order) => {
      player.take(order)
      done += 1
    })
    player.end()
    tell(done)
  }
  const stray = await orders.nextPlayer()
  if (stray !== undefined) throw new OperatorError(`${stray} has orders and no account: see laurel ledger verify`)
  for (const userId of [...credits.keys()].sort())
    backtest
      .player({ userId, firstOrderId: undefined, counted: { before: 0n, after: 0n }, credits: creditsOf(userId) })
      .end()
}

/** What referrers would have got more or less, by player: it must be known before their own orders. One entry at most for each player referred. */
async function readCredits(
  reader: BacktestReader,
  plan: BacktestPlan,
  span: Span,
): Promise<Map<string, CreditChange[]>> {
  const credits = new Map<string, CreditChange[]>()
  const programs = [plan.candidate, ...plan.held.map(({ program }) => program)]
  if (programs.every(({ referral }) => referral === undefined)) return credits
  for await (const order of reader.referrals(span)) {
    for (const { userId, ...change } of creditChanges(order, plan)) {
      const own = credits.get(userId)
      if (own === undefined) credits.set(userId, [change])
      else own.push(change)
    }
  }
  return credits
}

/** From when points count for each side; undefined where that is all ever earned, up to now. */
function countingFrom({ candidate, held, levelsAt }: BacktestPlan, to: string | undefined) {
  const from = ({ levels }: Program) => windowStart(levels.counts, levelsAt)
  const [heldFrom, candidateFrom] = [from(heldAt(held, levelsAt)), from(candidate)]
  if (heldFrom === undefined && candidateFrom === undefined && to === undefined) return undefined
  return { held: heldFrom ?? '-infinity', candidate: candidateFrom ?? '-infinity', to: to ?? 'infinity' }
}

async function timelineOf(entries: PlayerRows<{ at: string; points: bigint }>, userId: string): Promise<Timeline> {
  const timeline = openTimeline()
  await entries.each(userId, ({ at, points }) => timeline.add(at, points))
  return timeline
}
