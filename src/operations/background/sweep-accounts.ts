import { setTimeout as sleep } from 'node:timers/promises'
import { windowStart } from '../../points/levels.ts'
import { momentAfter } from '../../points/local-time.ts'
import type { Program, PublishedProgram } from '../../points/program-model.ts'
import { bookedDayAt, countsDays, programAt } from '../../points/programs.ts'
import {
  type AccountSweep,
  claimWork,
  estimateAccounts,
  insertSweep,
  type SweepQuestion,
  type SweptPage,
  type SweptPoints,
  sweepPage,
} from '../../store/account-sweeps.ts'
import type { Queryable } from '../../store/db/driver.ts'
import { pageReaderOf } from '../../store/db/reader.ts'
import type { Db } from '../../store/db/transaction.ts'
import { type BetweenPages, sumPoints } from '../statistics/sum-points.ts'

/** How often a process looks whether a sweep is due. */
export const SWEEP_LOOK_MS = 60_000

const EVERY_MS = 3_600_000
/** Where accounts are few: each process looks each minute, and one that has just started finds what was recorded before. */
const FEW_EVERY_MS = 5_000
const TIMEOUT_MS = 5_000
const DAY_MS = 86_400_000
const KEPT_DAYS = 400
/** So many accounts are looked at closely, or few more; all where there are fewer. */
const SAMPLE = 20_000
/** Up to so many are looked at closely in each sweep, more of them in the first one of a day. */
const ALL_MAX = 200_000
/** Accounts of a page, and how many of them may be looked at closely: some 50 ms of the embedded database. */
const [PAGE_ACCOUNTS, PAGE_SAMPLED] = [10_000, 2_000]
const TOP_MAX = 100

type SweepDeps = Readonly<{ db: Db; now: () => Date; programs: () => readonly PublishedProgram[] }>

/**
 * Goes through all accounts, unless some process has within the hour (within five seconds where they are few): levels of the version that holds now,
 * balances, who is active, and what can be spent. It reads a page at a time while others write, so its figures are not of one moment. Answers whether
 * it went through; not where it `isStopping`. Errors: Unavailable; the next one is an hour later.
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
  const isFirstOfDay = all_at === null || bookedDayAt(published, all_at) < bookedDayAt(published, at)
  const isOfAll = players <= ALL_MAX || isFirstOfDay
  const goOn = async (workedMs: number) => {
    await sleep(workedMs)
    return !isStopping()
  }
  const sums = await sweptSums(reader, questionFor(program, at, isOfAll ? 1 : Math.ceil(players / SAMPLE)), goOn)
  if (sums === undefined) return false
  const points = await pointsOfAll(reader, published, at, { isOfAll, balance: sums.balance }, goOn)
  if (points === undefined) return false
  const { ladder, counts } = program.levels
  const { levels, last: _, ...rest } = sums
  const sweep: AccountSweep = {
    ...rest,
    at,
    levels: ladder.map(({ name }, place) => ({ level: name, players: levels[place + 1] ?? 0 })),
    of_all: counts === 'lifetime' || isOfAll,
    points,
  }
  const keptSince = momentAfter(at, -KEPT_DAYS * DAY_MS)
  await db.transaction((tx) => insertSweep(tx, sweep, keptSince), performance.now() + TIMEOUT_MS)
  return true
}

/** Whether a sweep is due, and this process is to do it. */
async function claimSweep(db: Db, at: string, players: number): Promise<boolean> {
  const since = momentAfter(at, -(players <= PAGE_SAMPLED ? FEW_EVERY_MS : EVERY_MS))
  return db.transaction((tx) => claimWork(tx, 'account-sweep', at, since), performance.now() + TIMEOUT_MS)
}

function questionFor({ levels: { ladder, counts } }: Program, at: string, oneOf: number): SweepQuestion {
  return {
    levelsFrom: ladder.map(({ from }) => from),
    pointsSince: windowStart(counts, at),
    at,
    oneOf,
    activeSince: [momentAfter(at, -30 * DAY_MS), momentAfter(at, -90 * DAY_MS)],
    topMax: TOP_MAX,
  }
}

/** What can be spent in all; null where this sweep does not look at every account, undefined where it was not to go on. */
async function pointsOfAll(
  reader: Queryable,
  published: readonly PublishedProgram[],
  at: string,
  { isOfAll, balance }: Readonly<{ isOfAll: boolean; balance: string }>,
  goOn: BetweenPages,
): Promise<SweptPoints | null | undefined> {
  // Where points know no days, all that is booked can be spent.
  if (!countsDays(published))
    return { day: bookedDayAt(published, at), outstanding: balance, pending: '0', held: '0', expired: '0' }
  return isOfAll ? sumPoints(reader, published, at, goOn) : null
}

/** What the pages of all accounts come to; undefined where it was not to go on. */
async function sweptSums(
  reader: Queryable,
  question: SweepQuestion,
  goOn: BetweenPages,
): Promise<SweptPage | undefined> {
  const pageAccounts = Math.min(PAGE_ACCOUNTS, PAGE_SAMPLED * question.oneOf)
  let sums = NOTHING
  for (let after = ''; ; ) {
    const beganAt = performance.now()
    const page = await sweepPage(reader, after, pageAccounts, question)
    if (page.last === null) return sums
    sums = withPage(sums, page)
    after = page.last
    if (!(await goOn(performance.now() - beganAt))) return undefined
  }
}

const NOTHING: SweptPage = {
  players: 0,
  balance: '0',
  debts: '0',
  sampled: 0,
  active_30: 0,
  active_90: 0,
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
    active_30: sums.active_30 + page.active_30,
    active_90: sums.active_90 + page.active_90,
    levels,
    // Sorted stably: of equal balances the first ids stay.
    top: [...sums.top, ...page.top].sort(([, a], [, b]) => larger(a, b)).slice(0, TOP_MAX),
    last: page.last,
  }
}
