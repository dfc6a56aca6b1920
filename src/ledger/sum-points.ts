import type { Queryable } from '../database/db/driver.ts'
import { balanceAsOf } from '../engine/points/lots/balance.ts'
import { expiryAssignmentsOf } from '../engine/points/pending-and-expiry.ts'
import type { PublishedProgram } from '../engine/points/program-model.ts'
import { bookedDayAt } from '../engine/points/programs.ts'
import type { Moment, UserId } from '../engine/points/units.ts'
import type { SweptPoints } from './account-sweeps.ts'
import { listAccountHistories } from './histories.ts'

/** With ten entries per player, about 6 ms of this process and 20 ms of the embedded database: predictions can run in between. */
const PAGE_PLAYERS = 100

/** Awaited between pages, with how long the last one took, in milliseconds. Returns whether to continue. */
export type BetweenPages = (workedMs: number) => Promise<boolean>

/**
 * Sums the outstanding, pending, held and expired points of all players, as their accounts show them at the end of a moment's day under the
 * program in effect then. Reads a page of players at a time; undefined if `betweenPages` stopped it. Errors: Unavailable.
 */
export async function sumPoints(
  reader: Queryable,
  programs: readonly PublishedProgram[],
  at: Moment,
  betweenPages: BetweenPages,
): Promise<SweptPoints | undefined> {
  const day = bookedDayAt(programs, at)
  const expiryAssignments = expiryAssignmentsOf(programs)
  const sums = { outstanding: 0n, pending: 0n, held: 0n, expired: 0n }
  for (let after: UserId = ''; ; ) {
    const beganAt = performance.now()
    const { histories, last } = await listAccountHistories(reader, { after, limit: PAGE_PLAYERS, at })
    if (last === undefined) break
    for (const { movements, held } of histories) {
      const balance = balanceAsOf(day, movements, expiryAssignments)
      const available = balance.available + held
      if (available > 0n) sums.outstanding += available
      sums.pending += balance.pending
      sums.held += held
      sums.expired += balance.expired
    }
    after = last
    if (!(await betweenPages(performance.now() - beganAt))) return undefined
  }
  const texts = Object.entries(sums).map(([name, points]) => [name, String(points)])
  return { day, ...(Object.fromEntries(texts) as Record<keyof typeof sums, string>) }
}
