import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { countsDays, postingDateAt } from '../../engine/points/programs.ts'
import type { Instant, UserId } from '../../engine/points/units.ts'
import {
  basisOf,
  beginTotals,
  countAccounts,
  findWork,
  listDue,
  lockTotals,
  noteCaughtUp,
  noteScan,
  type Scan,
  takeChanges,
} from '../../ledger/account-figures.ts'
import { listAccountIds } from '../../ledger/histories.ts'
import { keepMovements, listWithoutMovements } from '../../ledger/kept-movements.ts'

/** The pause between two passes. */
export const FOLD_ACCOUNTS_MS = 1_000

const TIMEOUT_MS = 10_000
/** Accounts on a page: as many as take about PAGE_MS, in which the embedded database answers nobody else. A commit of a server may take 10 ms alone. */
const [PAGE_FIRST, PAGE_MIN, PAGE_MAX] = [100, 10, 5_000]
const PAGE_MS: Readonly<Record<Db['driver'], number>> = { pglite: 25, postgres: 50 }
const STOPS_WITHIN_MS = 200
/** Of one core. While there are no figures at all, more. */
const [SHARE, SHARE_AT_FIRST] = [0.05, 0.5]

type FoldDeps = Readonly<{ db: Db; now: () => Date; programs: () => readonly PublishedProgram[] }>

/** What has been recorded by `until`, a moment of the database, is counted in this pass, as of `at`, one of the service. */
type Pass = Readonly<{ at: Instant; until: string }>

/** How a page left the totals. `caught-up`: nothing from before the pass is left; `scanning`: the same, but a scan goes on. */
type Progress = 'more' | 'scanning' | 'caught-up'
/** `workedMs` does not include the wait for the database. `isFirst`: there were no figures before. `counted`: accounts that changed or were scanned. */
type Page = Readonly<{
  pass: Pass
  progress: Progress
  isFirst: boolean
  counted: readonly UserId[]
  workedMs: number
}>

/**
 * Counts anew, a page at a time, the accounts that were changed or are due (decision 207). All accounts are scanned where the versions decide otherwise
 * about days, and once a day, which changes nothing unless an older version of the service has written beside this one. Returns whether it
 * caught up; false if another process is at it, or `isStopping`. Errors: Unavailable; the next pass continues where this one stopped.
 */
export async function foldAccounts(deps: FoldDeps, isStopping: () => boolean = () => false): Promise<boolean> {
  const { db, now, programs } = deps
  const at = now().toISOString()
  const work = await findWork(readerOf(db, performance.now() + TIMEOUT_MS), at)
  if (work === undefined) await db.transaction(beginTotals, performance.now() + TIMEOUT_MS)
  else if (!work.is_changed && !work.is_due && !isScanDue(work, programs(), at)) return true
  let pass: Pass | undefined
  let size = PAGE_FIRST
  while (!isStopping()) {
    const { page, lacking } = await db.transaction(async (tx) => {
      const page = await foldPage(tx, deps, pass, size)
      // Where balances depend on the day, accounts that lack what theirs are computed from keep it from now on (decision 166).
      const counted = page !== undefined && countsDays(programs()) ? page.counted : []
      return { page, lacking: await listWithoutMovements(tx, counted) }
    }, performance.now() + TIMEOUT_MS)
    if (page === undefined) return false
    // In a transaction of its own, as it locks the accounts.
    if (lacking.length > 0) await db.transaction((tx) => keepMovements(tx, lacking), performance.now() + TIMEOUT_MS)
    if (page.progress === 'caught-up') return true
    const { workedMs } = page
    pass = page.progress === 'scanning' ? undefined : page.pass
    size = Math.min(PAGE_MAX, Math.max(PAGE_MIN, Math.round((size * PAGE_MS[db.driver]) / workedMs)))
    await pause(workedMs / (page.isFirst ? SHARE_AT_FIRST : SHARE) - workedMs, isStopping)
  }
  return false
}

/** Sleeps, but not on when the service stops. */
async function pause(ms: number, isStopping: () => boolean): Promise<void> {
  const endAt = performance.now() + ms
  for (let restMs = ms; restMs > 0 && !isStopping(); restMs = endAt - performance.now())
    await sleep(Math.min(restMs, STOPS_WITHIN_MS))
}

async function foldPage(
  tx: Queryable,
  { now, programs }: FoldDeps,
  begun: Pass | undefined,
  size: number,
): Promise<Page | undefined> {
  const beganAt = performance.now()
  const state = await lockTotals(tx)
  if (state === undefined) return undefined
  const published = programs()
  const pass = begun ?? { at: now().toISOString(), until: state.now }
  const { at } = pass
  const counted: UserId[] = []
  const page = (progress: Progress): Page => ({
    ...{ pass, progress, isFirst: state.is_first, counted },
    workedMs: performance.now() - beganAt,
  })
  // Until all accounts have been scanned once, changes wait: a service under load would get no further than them.
  if (state.basis !== null) {
    const { userIds, isAll } = await takeChanges(tx, pass.until, size)
    await countAccounts(tx, userIds, published, at)
    counted.push(...userIds)
    if (!isAll) return page('more')
    const due = await listDue(tx, at, size)
    await countAccounts(tx, due, published, at)
    if (due.length === size) return page('more')
  }
  const scan = await scanPage(tx, state, published, { at, size })
  counted.push(...scan.userIds)
  if (state.basis === null) return page('scanning')
  if (scan.isComplete) await noteCaughtUp(tx, at)
  return page(scan.isAtEnd ? 'caught-up' : 'scanning')
}

/** Whether a scan of all accounts is in progress, or to be begun. */
function isScanDue(
  { basis, scanned_to, scanned_on }: Scan,
  published: readonly PublishedProgram[],
  at: Instant,
): boolean {
  const isOfToday = scanned_on !== null && scanned_on >= postingDateAt(published, at)
  return scanned_to !== null || basis !== basisOf(published, at) || !isOfToday
}

/** Scans a page of all accounts, if a scan is due. `userIds`: those scanned. `isComplete`: all accounts have been counted as the versions decide now. */
async function scanPage(
  tx: Queryable,
  scan: Scan,
  published: readonly PublishedProgram[],
  { at, size }: Readonly<{ at: Instant; size: number }>,
): Promise<Readonly<{ userIds: readonly UserId[]; isComplete: boolean; isAtEnd: boolean }>> {
  if (!isScanDue(scan, published, at)) return { userIds: [], isComplete: true, isAtEnd: true }
  const { basis, scan_basis, scanned_to } = scan
  const wanted = basisOf(published, at)
  const day = postingDateAt(published, at)
  const userIds = await listAccountIds(tx, scan_basis === wanted ? (scanned_to ?? '') : '', size)
  await countAccounts(tx, userIds, published, at)
  const isAtEnd = userIds.length < size
  await noteScan(tx, wanted, isAtEnd ? null : userIds.at(-1)!, day)
  return { userIds, isComplete: isAtEnd || basis === wanted, isAtEnd }
}
