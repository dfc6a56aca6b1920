import { ACTIVITY_MS, ACTIVITY_SWEEP_MS } from '../activity/activity.ts'
import type { Deps } from '../deps.ts'
import { FLUSH_MS, SWEEP_MS } from '../predictions/prediction-log.ts'
import { askForBackfill, BACKFILL_LOOK_MS } from './ask-for-backfill.ts'
import { FOLD_MS, foldStatistics } from './fold-statistics.ts'
import type { Refresh } from './refresh.ts'
import { repeat } from './repeat.ts'
import { SUM_BALANCES_MS, sumBalances } from './sum-balances.ts'
import { SWEEP_LOOK_MS, sweepAccounts } from './sweep-accounts.ts'

/** A revoked token is refused within a second on every replica (decision 62), and settings hold as soon (decision 70): this pause and four queries take half of that. */
const REFRESH_MS = 300
/** When accounts are looked at first: requests that waited for the start come before. */
const SWEEP_FIRST_MS = 1_000
/** How soon the use of a token is seen in the list of tokens. */
const NOTE_USE_MS = 60_000
/** How soon other processes know that a session goes on. Each is noted once a minute at most. */
const NOTE_SESSIONS_MS = 1_000

/**
 * Starts what a process does beside answering requests, each piece in a loop of its own: refreshing what is in memory, writing what was counted, folding
 * statistics, going through accounts. Without `isServing` the process is a command that is over soon: it leaves the backfill to a service, and the first
 * sweep for later. Answers how to stop, which waits for what is under way.
 */
export function startBackgroundWork(
  deps: Pick<Deps, 'db' | 'now' | 'programs' | 'observe' | 'predictions' | 'activity'>,
  refresh: Refresh,
  noteUse: Readonly<{ tokens: () => Promise<void>; sessions: () => Promise<void> }>,
  { isServing }: Readonly<{ isServing: boolean }>,
): () => Promise<void> {
  const { db, observe, predictions, activity } = deps
  let isStopping = false
  const refreshAll = async () => {
    await refresh.tokens()
    await refresh.programs()
    await refresh.shop()
    await refresh.sessions()
  }
  const refreshFailed = (error: unknown) => observe({ kind: 'refresh-failed', error })
  const statisticsFailed = (error: unknown) => observe({ kind: 'statistics-failed', error })
  const logFailed = (step: 'flush' | 'sweep') => (error: unknown) =>
    observe({ kind: 'prediction-log-failed', step, error })
  const stops = [
    repeat(predictions.flush, FLUSH_MS, logFailed('flush')),
    repeat(predictions.sweep, SWEEP_MS, logFailed('sweep')),
    repeat(noteUse.tokens, NOTE_USE_MS, refreshFailed),
    repeat(noteUse.sessions, NOTE_SESSIONS_MS, refreshFailed),
    repeat(activity.flush, ACTIVITY_MS, statisticsFailed),
    repeat(activity.sweep, ACTIVITY_SWEEP_MS, statisticsFailed),
    repeat(() => foldStatistics(db), FOLD_MS, statisticsFailed),
    repeat(
      async () => void (await sweepAccounts(deps, () => isStopping)),
      SWEEP_LOOK_MS,
      statisticsFailed,
      isServing ? SWEEP_FIRST_MS : SWEEP_LOOK_MS,
    ),
    repeat(() => sumBalances(deps), SUM_BALANCES_MS, statisticsFailed),
    ...(isServing ? [repeat(() => askForBackfill(deps), BACKFILL_LOOK_MS, statisticsFailed)] : []),
    // Where no other process can write, a service knows every change already: it made it.
    ...(db.hasOtherWriters ? [repeat(refreshAll, REFRESH_MS, refreshFailed)] : []),
  ]
  return async () => {
    isStopping = true
    await Promise.all(stops.map((stop) => stop()))
    await noteUse.tokens().catch(refreshFailed)
    await noteUse.sessions().catch(refreshFailed)
  }
}
