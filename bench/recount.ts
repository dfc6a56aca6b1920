/*
 * The processor time of counting accounts anew in the background (decision 207), and the share of a core that this takes at its own pace.
 */
import { readFileSync } from 'node:fs'
import type { Db } from '../src/database/db/transaction.ts'
import { loadPrograms } from '../src/resources/programs/stored-programs.ts'
import { foldAccounts } from '../src/resources/statistics/fold-accounts.ts'
import { alternate, type Figure, figureOf, median } from './figures.ts'
import { ANALYZE_LEDGER, accountsWithEntries } from './ledger-rows.ts'
import { withPaying } from './paying.ts'
import type { Round } from './round.ts'
import { TARGETS, type Target } from './targets.ts'
import { ACCOUNT_ENTRIES, EMPTY, openData, runSql } from './testbed.ts'

const TIMEOUT_MS = 60_000
const CHANGED = 'insert into account_changes (user_id) select user_id from accounts'
const DUE = 'update account_figures set due_at = now()'

/** A tenth of `records` are counted at a time: at 5 % of a core, all would take minutes. */
export async function measureRecount({ testbed, database, runs, records }: Round): Promise<Figure[]> {
  const accounts = Math.ceil(records / 10)
  return await withPaying(testbed, await testbed.filled(database, EMPTY), async (data) => {
    const users = `select 'p-' || lpad(n::text, 9, '0') from generate_series(1, ${accounts}) as n`
    await runSql(data, [accountsWithEntries(users, ACCOUNT_ENTRIES[database]), CHANGED, ANALYZE_LEDGER])
    const db = await openData(data)
    try {
      const programs = await loadPrograms(db, performance.now() + TIMEOUT_MS)
      const recount = () => counting(db, () => foldAccounts({ db, now: () => new Date(), programs: () => programs }))
      const run = async (mark: string) => {
        await db.transaction((tx) => tx.script(mark), performance.now() + TIMEOUT_MS)
        return await recount()
      }
      await recount()
      const found = await alternate<'changed' | 'due', Counted>(runs, [
        async () => ({ changed: await run(CHANGED) }),
        async () => ({ due: await run(DUE) }),
      ])
      const figure = (target: Target, all: readonly Counted[]) => {
        const each = all.map(({ processorMs }) => (processorMs * 1_000) / accounts)
        const [share, perMinute] = [
          median(all.map(({ processorMs, ms }) => (processorMs / ms) * 100)),
          median(all.map(({ ms }) => (accounts / ms) * 60_000)),
        ]
        return figureOf(target, {
          ...{ database, ours: each },
          note: `${accounts} accounts with ${ACCOUNT_ENTRIES[database]} entries each, the database's processor time included; ${share.toFixed(1)} % of a core, ${Math.round(perMinute)} accounts a minute`,
        })
      }
      return [figure(TARGETS.recountChanged, found.changed), figure(TARGETS.recountDue, found.due)]
    } finally {
      await db.close()
    }
  })
}

type Counted = Readonly<{ ms: number; processorMs: number }>

/** The time that `act` takes, and the processor time of this process and of the sessions of a PostgreSQL server. */
async function counting(db: Db, act: () => Promise<unknown>): Promise<Counted> {
  const [before, ownBefore, startedAt] = [await sessionsMs(db), process.cpuUsage(), performance.now()]
  await act()
  const ms = performance.now() - startedAt
  const { user, system } = process.cpuUsage(ownBefore)
  return { ms, processorMs: (user + system) / 1_000 + (await sessionsMs(db)) - before }
}

/** The embedded database runs in this process. */
async function sessionsMs(db: Db): Promise<number> {
  if (db.driver === 'pglite') return 0
  const sessions = 'select pid from pg_stat_activity where datname = current_database()'
  const rows = await db.read<{ pid: number }>(sessions, [], performance.now() + TIMEOUT_MS)
  return rows.reduce((sum, { pid }) => sum + ticksOf(pid) * 10, 0)
}

/** User and system time of a process, in hundredths of a second. */
function ticksOf(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
  return Number(user) + Number(system)
}
