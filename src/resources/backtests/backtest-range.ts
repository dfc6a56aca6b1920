/*
 * What a backtest does with the players of one range, in any thread, independently of the other ranges.
 */

import type { Queryable } from '../../database/db/driver.ts'
import type { TimeRange } from '../../database/db/time-range.ts'
import { readStoredProgram } from '../../engine/ingest/program-text.ts'
import { windowStart } from '../../engine/points/levels.ts'
import { localDay } from '../../engine/points/local-time.ts'
import type { Program } from '../../engine/points/program-model.ts'
import { createTimeline, type Timeline } from '../../engine/points/timeline.ts'
import type { AttributeSource } from '../../engine/whatif/attributes-now.ts'
import {
  type BacktestPlan,
  type CreditChange,
  createBacktest,
  creditChanges,
  type LedgerOrder,
  needsAttributesNow,
  needsLevelEntries,
  programInEffectAt,
} from '../../engine/whatif/backtest.ts'
import { type LedgerMovement, needsBalances } from '../../engine/whatif/backtest-balances.ts'
import { comingRules, movedEarlier } from '../../engine/whatif/coming-rules.ts'
import { withoutLeftOut } from '../../engine/whatif/left-out.ts'
import type { Tally } from '../../engine/whatif/tally.ts'
import { OperatorError } from '../../errors.ts'
import { readProgramsBeside } from '../programs/stored-programs.ts'
import {
  type BacktestReader,
  type LevelCounting,
  openBacktestReader,
  type PlayerRange,
  type PlayerRows,
} from './store.ts'

/**
 * A backtest request as plain data. `source` is the text of the candidate, free of issues. Orders with moments (RFC 3339) in [`from`, `to`) are
 * recomputed; an absent bound is open. Levels are compared as of just before `to`, otherwise as of `now`. The candidate's rules that begin after the day
 * of `now` are moved `weeksEarlier`. Its rules see the `attributes` of products that orders kept (default), or also those of now. `leavesOut`: the candidate's rules do not see what is left out of players and orders (decision 218).
 */
export type BacktestRequest = Readonly<{
  source: string
  from?: string | undefined
  to?: string | undefined
  weeksEarlier?: number | undefined
  attributes?: AttributeSource | undefined
  now: string
  leavesOut?: boolean
}>

/** Practically no deadline: a backtest may take hours, and reports its progress. */
export const DEADLINE_MS = 2 ** 30

/** A request, resolved to its programs. */
export type BacktestTask = Readonly<{
  plan: BacktestPlan
  timeRange: TimeRange
  to: string | undefined
  /** The names of the candidate's rules that begin after the day of the request. */
  coming: ReadonlySet<string>
}>

/** A change in the points of a referrer, whose range may differ from that of the player they referred. */
export type Credit = CreditChange & Readonly<{ userId: string }>

/** Resolves a request. Errors: OperatorError if a program has issues, or none was ever published. */
export async function readTask(
  tx: Queryable,
  { source, from, to, weeksEarlier = 0, attributes = 'recorded', now, leavesOut }: BacktestRequest,
): Promise<BacktestTask> {
  const read = readStoredProgram(source)
  if ('issues' in read) throw new OperatorError(`the program has errors: ${read.issues[0]?.error}`)
  const { published, sameVersions } = await readProgramsBeside(tx, source)
  if (published.length === 0) throw new OperatorError('no published program: start the service once')
  const coming = comingRules(read.program, localDay(now, read.program.timeZone))
  const plan = {
    candidate: movedEarlier(read.program, coming, weeksEarlier),
    published,
    sameVersions: weeksEarlier === 0 ? sameVersions : new Set<number>(),
    from: from ?? '-infinity',
    levelsAt: to === undefined ? now : lastBefore(to),
    attributes,
    seen: leavesOut ? withoutLeftOut<LedgerOrder> : (recorded: LedgerOrder) => recorded,
  }
  return { plan, timeRange: { from: from ?? '-infinity', to: to ?? 'infinity' }, to, coming }
}

/** Whether any of the programs gives points for referrals; otherwise there are no credits to find. */
export function knowsReferrals({ plan: { candidate, published } }: BacktestTask): boolean {
  return [candidate, ...published.map(({ program }) => program)].some(({ referral }) => referral !== undefined)
}

/**
 * The changes in referrers' points for referring the players of a range: at most two per player. They must be known before the referrers' own
 * orders are processed. Errors: those of the database.
 */
export async function findCredits(
  tx: Queryable,
  { plan, timeRange }: BacktestTask,
  range: PlayerRange,
): Promise<Credit[]> {
  const reader = openBacktestReader(tx, range, needsAttributesNow(plan))
  const credits: Credit[] = []
  for await (const order of reader.referrals(timeRange)) credits.push(...creditChanges(order, plan))
  await reader.close()
  return credits
}

/**
 * Tallies every account of a range with its orders, and the players who would get points but have no account. `credits` are those for
 * the range's players. Errors: OperatorError for orders without an account.
 */
export async function tallyPlayers(
  tx: Queryable,
  { plan, timeRange, to }: BacktestTask,
  range: PlayerRange,
  credits: readonly Credit[],
): Promise<Tally> {
  const reader = openBacktestReader(tx, range, needsAttributesNow(plan))
  const backtest = createBacktest(plan)
  const creditsLeft = Map.groupBy(credits, ({ userId }) => userId)
  const creditsOf = (userId: string): readonly CreditChange[] => {
    const ofPlayer = creditsLeft.get(userId) ?? []
    creditsLeft.delete(userId)
    return ofPlayer.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  }
  const orders = await reader.orders(timeRange)
  const entries = needsLevelEntries(plan) ? await reader.entries(timeRange.to) : undefined
  const movements = needsBalances(plan) ? await reader.movements(timeRange) : undefined
  for await (const { userId, firstOrderId, levelPoints } of reader.players(countingOf(plan, to))) {
    const player = backtest.player({
      userId,
      firstOrderId,
      levelPoints,
      credits: creditsOf(userId),
      ...(entries === undefined ? {} : { levelEntries: await timelineOf(entries, userId) }),
      ...(movements === undefined ? {} : { movements: await movementsOf(movements, userId) }),
    })
    await orders.each(userId, player.take)
    player.end()
  }
  // Who it is, not everybody may know who sees the error of a job.
  if ((await orders.nextPlayer()) !== undefined)
    throw new OperatorError('a player has orders but no account: run laurel ledger verify')
  for (const userId of [...creditsLeft.keys()])
    backtest
      .player({
        userId,
        firstOrderId: undefined,
        levelPoints: { before: 0n, after: 0n },
        credits: creditsOf(userId),
        ...(movements === undefined ? {} : { movements: [] }),
      })
      .end()
  await reader.close()
  return backtest.tally()
}

/**
 * Which points count under each program, as for a player's account summary (accounts/service.ts): with a window, those up to the moment at which levels
 * are compared; otherwise all, including orders dated a few minutes ahead (decision 30). Undefined if all points ever earned count under both.
 */
function countingOf(
  { candidate, published, levelsAt }: BacktestPlan,
  to: string | undefined,
): LevelCounting | undefined {
  const rangeOf = ({ levels }: Program) => {
    const after = windowStart(levels.counts, levelsAt)
    const upTo = after === undefined && to === undefined ? 'infinity' : levelsAt
    return { after: after ?? '-infinity', upTo }
  }
  const inEffect = programInEffectAt(published, levelsAt)
  const isLifetime = [inEffect, candidate].every(({ levels }) => levels.counts === 'lifetime')
  if (isLifetime && to === undefined) return undefined
  return { inEffect: rangeOf(inEffect), candidate: rangeOf(candidate), to: to ?? 'infinity' }
}

type Entries = Awaited<ReturnType<BacktestReader['entries']>>

async function timelineOf(entries: Entries, userId: string): Promise<Timeline> {
  const timeline = createTimeline()
  await entries.each(userId, ({ at, points }) => timeline.add(at, points))
  return timeline
}

async function movementsOf(rows: PlayerRows<LedgerMovement>, userId: string): Promise<LedgerMovement[]> {
  const movements: LedgerMovement[] = []
  await rows.each(userId, (movement) => movements.push(movement))
  return movements
}

/** The last millisecond before a moment. */
function lastBefore(to: string): string {
  return new Date(Date.parse(to) - 1).toISOString()
}
