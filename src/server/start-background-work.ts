import type { Deps } from '../deps.ts'
import { sweepActs } from '../resources/audit-log/service.ts'
import { repeat } from '../resources/jobs/repeat.ts'
import { BACKFILL_CHECK_MS, requestBackfill } from '../resources/jobs/service.ts'
import { ACTIVITY_MS, ACTIVITY_SWEEP_MS, type Activity } from '../resources/monitoring/activity.ts'
import { LAST_BACKUP_MS, reportLastBackup } from '../resources/monitoring/last-backup.ts'
import { ERASE_INACTIVE_CHECK_MS, eraseInactive } from '../resources/personal-data/erase-inactive.ts'
import { FLUSH_MS, type PredictionLog, SWEEP_MS } from '../resources/prediction-log/prediction-log.ts'
import { FOLD_ACCOUNTS_MS, foldAccounts } from '../resources/statistics/fold-accounts.ts'
import { FOLD_MS, foldStatistics } from '../resources/statistics/fold-statistics.ts'
import { SUM_BALANCES_MS, sumBalances } from '../resources/statistics/sum-balances.ts'
import { SWEEP_CHECK_MS, sweepAccounts } from '../resources/statistics/sweep-accounts.ts'
import type { Refresh } from './refresh.ts'

/** Revocations (decision 60) and settings (decision 70) must take effect on every replica within 1 s: this pause and four queries take half. */
const REFRESH_MS = 300
/** When the first sweep starts: after requests that were waiting for the service to start. */
const SWEEP_FIRST_MS = 1_000
/** How soon the use of a token shows in the list of tokens. */
const NOTE_USE_MS = 60_000
/** How soon other processes know that a session is in use. Each session is written at most once a minute. */
const NOTE_SESSIONS_MS = 1_000

/** The dependencies as a whole service has them: what only counts for an operation is also flushed and swept here. */
export type ServiceDeps = Deps & Readonly<{ predictions: PredictionLog; activity: Activity }>

/**
 * Starts a process's background work, each task in a loop of its own: refreshing caches, flushing counts, folding statistics and accounts, sweeping accounts, deleting
 * what is older than the shop keeps it.
 * Without `isServing` the process is a short-lived command: it leaves the backfill to a service, and delays the first sweep. Returns a function
 * that stops the work and waits for what is in progress.
 */
export function startBackgroundWork(
  deps: Pick<
    ServiceDeps,
    'db' | 'now' | 'programs' | 'shop' | 'observe' | 'predictions' | 'activity' | 'handles' | 'erasureKey'
  >,
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
    repeat(
      () => sweepActs(deps),
      ACTIVITY_SWEEP_MS,
      (error) => observe({ kind: 'audit-log-failed', error }),
    ),
    repeat(
      () => eraseInactive(deps, () => isStopping),
      ERASE_INACTIVE_CHECK_MS,
      (error) => observe({ kind: 'erasures-failed', error }),
    ),
    repeat(() => foldStatistics(db), FOLD_MS, statisticsFailed),
    repeat(async () => void (await foldAccounts(deps, () => isStopping)), FOLD_ACCOUNTS_MS, statisticsFailed),
    repeat(
      async () => void (await sweepAccounts(deps, () => isStopping)),
      SWEEP_CHECK_MS,
      statisticsFailed,
      isServing ? SWEEP_FIRST_MS : SWEEP_CHECK_MS,
    ),
    repeat(() => sumBalances(deps), SUM_BALANCES_MS, statisticsFailed),
    repeat(() => reportLastBackup(deps), LAST_BACKUP_MS, statisticsFailed),
    ...(isServing ? [repeat(() => requestBackfill(deps), BACKFILL_CHECK_MS, statisticsFailed)] : []),
    // If no other process can write, this one has made every change itself and knows it already.
    ...(db.hasOtherWriters ? [repeat(refreshAll, REFRESH_MS, refreshFailed)] : []),
  ]
  return async () => {
    isStopping = true
    await Promise.all(stops.map((stop) => stop()))
    await noteUse.tokens().catch(refreshFailed)
    await noteUse.sessions().catch(refreshFailed)
  }
}
