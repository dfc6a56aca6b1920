import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '../../database/db/driver.ts'
import { pageReaderOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import { windowStart } from '../../engine/points/levels.ts'
import { instantAfter } from '../../engine/points/local-time.ts'
import type { Program, PublishedProgram } from '../../engine/points/program-model.ts'
import { postingDateAt, programAt } from '../../engine/points/programs.ts'
import {
  type AccountSweep,
  claimWork,
  estimateAccounts,
  insertSweep,
  type SweepQuery,
  type SweptPage,
  sweepPage,
} from '../../ledger/account-sweeps.ts'

/** How often a process checks whether a sweep is due. */
export const SWEEP_CHECK_MS = 60_000

const EVERY_MS = 3_600_000
/** With few accounts sweeps may be this frequent: each process checks every minute, and a new one finds what was recorded before it started. */
const FEW_EVERY_MS = 5_000
const TIMEOUT_MS = 5_000
const DAY_MS = 86_400_000
const KEPT_DAYS = 400
/** The approximate size of the sample; with fewer accounts, all are examined. */
const SAMPLE = 20_000
/** Up to this many accounts every sweep examines all of them; with more, only the first of each day does. */
const ALL_MAX = 200_000
/** Accounts on a page, and how many of them may be sampled: about 50 ms of the embedded database. */
const [PAGE_ACCOUNTS, PAGE_SAMPLED] = [10_000, 2_000]
const TOP_MAX = 100

/** Awaited between pages, with how long the last one took, in milliseconds. Returns whether to continue. */
type BetweenPages = (workedMs: number) => Promise<boolean>

type SweepDeps = Readonly<{ db: Db; now: () => Date; programs: () => readonly PublishedProgram[] }>

/**
 * Sweeps all accounts, unless a process has done so within the hour (within five seconds if there are few): levels under the version in effect,
 * and balances. Reads a page at a time while others write, so its figures are not of one moment. Returns whether it completed; false if not due or
 * `isStopping`. Errors: Unavailable; the next sweep is an hour later.
 */
export async function sweepAccounts(
  { db, now, programs }: SweepDeps,
  isStopping: () => boolean = () => false,
): Promise<boolean> {
  const at = now().toISOString()
  const published = programs()
  const program = programAt(published, at)?.program
  if (program === undefined) return false
  const reader = pageReaderOf(db)
  const { players, all_at } = await estimateAccounts(reader)
  if (!(await claimSweep(db, at, players))) return false
  const isFirstOfDay = all_at === null || postingDateAt(published, all_at) < postingDateAt(published, at)
  const isOfAll = players <= ALL_MAX || isFirstOfDay
  const betweenPages = async (workedMs: number) => {
    await sleep(workedMs)
    return !isStopping()
  }
  const sums = await sweptSums(
    reader,
    toSweepQuery(program, at, isOfAll ? 1 : Math.ceil(players / SAMPLE)),
    betweenPages,
  )
  if (sums === undefined) return false
  const { ladder, counts } = program.levels
  const { levels, last: _, ...rest } = sums
  const sweep: AccountSweep = {
    ...rest,
    at,
    levels: ladder.map(({ name }, place) => ({ level: name, players: levels[place + 1] ?? 0 })),
    of_all: counts === 'lifetime' || isOfAll,
  }
  const keptSince = instantAfter(at, -KEPT_DAYS * DAY_MS)
  await db.transaction((tx) => insertSweep(tx, sweep, keptSince), performance.now() + TIMEOUT_MS)
  return true
}

/** Claims a sweep: true if one is due and this process is to do it. */
async function claimSweep(db: Db, at: string, players: number): Promise<boolean> {
  const since = instantAfter(at, -(players <= PAGE_SAMPLED ? FEW_EVERY_MS : EVERY_MS))
  return db.transaction((tx) => claimWork(tx, 'account-sweep', at, since), performance.now() + TIMEOUT_MS)
}

function toSweepQuery({ levels: { ladder, counts } }: Program, at: string, oneOf: number): SweepQuery {
  return {
    levelsFrom: ladder.map(({ from }) => from),
    pointsSince: windowStart(counts, at),
    at,
    oneOf,
    topMax: TOP_MAX,
  }
}

/** The sums over all pages; undefined if `betweenPages` stopped it. */
async function sweptSums(
  reader: Queryable,
  query: SweepQuery,
  betweenPages: BetweenPages,
): Promise<SweptPage | undefined> {
  const pageAccounts = Math.min(PAGE_ACCOUNTS, PAGE_SAMPLED * query.oneOf)
  let sums = NOTHING
  for (let after = ''; ; ) {
    const beganAt = performance.now()
    const page = await sweepPage(reader, after, pageAccounts, query)
    if (page.last === null) return sums
    sums = withPage(sums, page)
    after = page.last
    if (!(await betweenPages(performance.now() - beganAt))) return undefined
  }
}

const NOTHING: SweptPage = {
  players: 0,
  balance: '0',
  debts: '0',
  sampled: 0,
  levels: {},
  top: [],
  last: null,
}

function withPage(sums: SweptPage, page: SweptPage): SweptPage {
  const levels = { ...sums.levels }
  for (const [place, n] of Object.entries(page.levels)) levels[place] = (levels[place] ?? 0) + n
  const larger = (a: string, b: string) => (BigInt(a) > BigInt(b) ? -1 : BigInt(a) < BigInt(b) ? 1 : 0)
  return {
    players: sums.players + page.players,
    balance: String(BigInt(sums.balance) + BigInt(page.balance)),
    debts: String(BigInt(sums.debts) + BigInt(page.debts)),
    sampled: sums.sampled + page.sampled,
    levels,
    // The sort is stable: of equal balances, those with the lower ids stay.
    top: [...sums.top, ...page.top].sort(([, a], [, b]) => larger(a, b)).slice(0, TOP_MAX),
    last: page.last,
  }
}
