/*
 * Erases players without activity for as long as the shop says (setting `players.erase-after`; docs/privacy.md).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Queryable } from '../../database/db/driver.ts'
import { pageReaderOf, readerOf } from '../../database/db/reader.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { Db, Tx } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { firstDayKept } from '../../engine/ingest/retention.ts'
import { instantAfter } from '../../engine/points/local-time.ts'
import type { PlainDate, UserId } from '../../engine/points/units.ts'
import { claimWork } from '../../ledger/account-sweeps.ts'
import { eraseOne, textsOf, underPresentIds } from './erase-player.ts'
import { findLeftMentions, findMentions, idRanges } from './mentions.ts'
import { eraseMentions, type NamedPlayer, type Person } from './store.ts'

const pageSql = sqlFile(import.meta.url, 'inactive-players-page')
const lockSql = sqlFile(import.meta.url, 'inactive-players-lock')
const findSql = sqlFile(import.meta.url, 'inactive-players-find')

/** How often a process asks whether a pass is due. */
export const ERASE_INACTIVE_CHECK_MS = 60_000
const EVERY_MS = 3_600_000
/** Players on a page: some tens of milliseconds of the embedded database. */
const PAGE_PLAYERS = 1_000
/** Who names them is looked up for so many together, as all orders are read for it. */
const TOGETHER_MAX = 1_000
const TIMEOUT_MS = 60_000
/** Players whom a dry run names. */
const SHOWN_MAX = 100
/** By whom, in the audit log, where the id of a token stands otherwise. */
const BY = 'players.erase-after'

type InactivePlayer = Person & Readonly<{ user_id: UserId }>
type InactivePage = Readonly<{ players: readonly InactivePlayer[]; last: UserId | null }>
type EraseDeps = Pick<Deps, 'db' | 'now' | 'shop' | 'handles' | 'erasureKey'>

/**
 * Erases players without activity for `players.erase-after`, one after the other, unless a process has begun to do so within the hour. Nothing by
 * default. Pauses as long as it works, and ends early if `isStopping`. Errors: as for `eraseOne`; those already erased stay so.
 */
export async function eraseInactive(deps: EraseDeps, isStopping: () => boolean = () => false): Promise<void> {
  const { db, now, shop } = deps
  const after = shop()[BY]
  const at = now().toISOString()
  const since = firstDayKept(after, at.slice(0, 10))
  if (since === undefined) return
  if (!(await claim(db, at, EVERY_MS))) return
  // Whoever has set it by mistake stops it by resetting it.
  const isOver = () => isStopping() || shop()[BY] !== after
  const reader = pausing(pageReaderOf(db))
  let inactive: InactivePlayer[] = []
  for (let last: UserId | null = ''; last !== null && !isOver(); ) {
    const page = await readPage(reader, since, last)
    last = page.last
    inactive.push(...page.players)
    if (inactive.length < TOGETHER_MAX && last !== null) continue
    await eraseAll(deps, inactive, { reason: `no activity for ${after}`, since }, reader, isOver)
    inactive = []
    await claim(db, now().toISOString(), 0)
  }
}

/** How many players are without activity for as long as this setting says, and the first 100 of them by id. Errors: Unavailable. */
export async function countInactive(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  after: string,
  deadlineAt: number,
): Promise<Readonly<{ count: number; players: readonly UserId[] }>> {
  const since = firstDayKept(after, now().toISOString().slice(0, 10))
  if (since === undefined) return { count: 0, players: [] }
  const reader = readerOf(db, deadlineAt)
  let count = 0
  const players: UserId[] = []
  for (let last: UserId | null = ''; last !== null; ) {
    const page = await readPage(reader, since, last)
    last = page.last
    count += page.players.length
    players.push(...page.players.slice(0, SHOWN_MAX - players.length).map(({ user_id }) => user_id))
  }
  return { count, players }
}

/** Whether no other process has begun a pass, or gone on with one, for so long. */
async function claim(db: Db, at: string, forMs: number): Promise<boolean> {
  const before = instantAfter(at, -forMs)
  return db.transaction((tx) => claimWork(tx, 'inactive-players', at, before), performance.now() + TIMEOUT_MS)
}

async function readPage(reader: Queryable, since: PlainDate, after: UserId): Promise<InactivePage> {
  const [page] = await reader.query<InactivePage>(pageSql, [since, after, PAGE_PLAYERS])
  return page!
}

/** Waits after each statement for as long as it took, so that others get their turns. */
function pausing(reader: Queryable): Queryable {
  return {
    query: async (sql, params) => {
      const beganAt = performance.now()
      try {
        return await reader.query(sql, params)
      } finally {
        await sleep(performance.now() - beganAt)
      }
    },
  }
}

type Why = Readonly<{ reason: string; since: PlainDate }>

/** Erases those who are still inactive. */
async function eraseAll(
  deps: EraseDeps,
  players: readonly InactivePlayer[],
  { reason, since }: Why,
  reader: Queryable,
  isStopping: () => boolean,
): Promise<void> {
  if (players.length === 0) return
  const named = players.map((player) => {
    const { user_id: userId, refer_code: referralCode } = player
    return { userId, referralCode, texts: textsOf(player, userId) }
  })
  const mentions = await findMentions(reader, named, idRanges(reader, PAGE_PLAYERS, isStopping))
  const erased: (NamedPlayer & Readonly<{ newId: UserId }>)[] = []
  for (const [place, player] of named.entries()) {
    if (isStopping()) break
    const { userId } = player
    const goesAhead = async (tx: Tx) => {
      await tx.query(lockSql, [userId])
      return (await tx.query(findSql, [since, userId])).length > 0
    }
    const order = { userId, by: BY, reason, isDryRun: false, mentions: mentions[place]!, goesAhead }
    const beganAt = performance.now()
    const erasure = await eraseOne(deps, order, beganAt + TIMEOUT_MS)
    if (erasure !== undefined) erased.push({ ...player, newId: erasure.userId })
    await sleep(performance.now() - beganAt)
  }
  await eraseLeft(deps, erased, reader)
}

/** Who has named these players since the others were looked up names them no longer. */
async function eraseLeft(
  { db, erasureKey }: EraseDeps,
  erased: readonly (NamedPlayer & Readonly<{ newId: UserId }>)[],
  reader: Queryable,
): Promise<void> {
  if (erased.length === 0) return
  const mentions = await findLeftMentions(reader, erased, idRanges(reader, PAGE_PLAYERS))
  for (const [place, player] of erased.entries()) {
    const { inOrders, asReferrer } = mentions[place]!
    if (inOrders.length + asReferrer.length === 0) continue
    await db.transaction(
      async (tx) => eraseMentions(tx, player, await underPresentIds(tx, erasureKey, mentions[place]!)),
      performance.now() + TIMEOUT_MS,
    )
  }
}
