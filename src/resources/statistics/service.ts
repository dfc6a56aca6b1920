import { readerOf } from '../../database/db/reader.ts'
import { findLastSweep, type LastSweep } from '../../ledger/account-sweeps.ts'
import type { Deps } from '../../shared/deps.ts'
import { type Estimate, estimateOf } from './estimate.ts'
import type { Quality } from './quality.ts'

export type QualifiedEstimate = Estimate & Readonly<{ quality: Quality }>

/**
 * Accounts as of the latest sweep, which began `at`. Levels are in ladder order, points are strings. `points` comes from the latest sweep
 * that examined all accounts.
 */
export type SweptAccounts = Readonly<{
  at: string
  players: number
  balance: string
  debts: string
  active30: QualifiedEstimate
  active90: QualifiedEstimate
  levels: readonly (QualifiedEstimate & Readonly<{ level: string }>)[]
  top: readonly Readonly<{ userId: string; points: string }>[]
  points: LastSweep['points']
}>

/** The results of the latest sweep; undefined if there has been none. Errors: Unavailable. */
export async function showAccounts(deps: Deps, deadlineAt: number): Promise<SweptAccounts | undefined> {
  const sweep = await findLastSweep(readerOf(deps.db, deadlineAt))
  if (sweep === undefined) return undefined
  const { at, players, balance, debts, sampled, levels, of_all, top, points } = sweep
  const estimate = (found: number, seen: number): QualifiedEstimate => ({
    ...estimateOf(found, seen, players),
    quality: seen < players ? 'sampled' : 'exact',
  })
  return {
    at,
    players,
    balance,
    debts,
    active30: estimate(sweep.active_30, sampled),
    active90: estimate(sweep.active_90, sampled),
    levels: levels.map(({ level, players: found }) => ({ level, ...estimate(found, of_all ? players : sampled) })),
    top: (top ?? []).map(([userId, points]) => ({ userId, points })),
    points,
  }
}
