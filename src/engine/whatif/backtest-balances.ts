/*
 * A player's balance as it is, and as it would be under another program with the same spending. Pure. Source:
 * docs/decisions/0138-balances-by-date.md
 */
import { localDay } from '../points/local-time.ts'
import { balanceOn, dayOfView, uncoveredUntil } from '../points/lots/balance.ts'
import { type Movement, toMovement } from '../points/lots/movement.ts'
import type { Order } from '../points/model.ts'
import {
  computePointTerms,
  type ExpiryAssignment,
  expiryAssignmentsOf,
  termsOfDebit,
} from '../points/pending-and-expiry.ts'
import type { Program, PublishedProgram } from '../points/program-model.ts'
import { countsDays, programAt } from '../points/programs.ts'
import type { Instant, Points } from '../points/units.ts'
import type { BalanceSums, Pair } from './tally.ts'

/**
 * The sum of the entries of one moment. `earned` was given for orders that are recomputed, `spent` is their spending: both get different days under
 * another program. `kept` keeps its own days.
 */
export type LedgerMovement = Movement & Readonly<{ at: Instant; part: 'earned' | 'spent' | 'kept' }>

/** How to compare balances: the candidate is in effect from `from` (RFC 3339, or `-infinity`), and balances are taken on the day of `levelsAt`. */
export type BalancePlan = Readonly<{
  candidate: Program
  published: readonly PublishedProgram[]
  from: string
  levelsAt: string
}>

/** Whether balances depend on the day under any of the programs; if not, they are simply the sums of entries. */
export function needsBalances({ candidate, published }: Pick<BalancePlan, 'candidate' | 'published'>): boolean {
  return countsDays([...published, { version: 0, from: '-infinity', program: candidate }])
}

/** What an order would have given under the candidate, with the candidate's days. */
export function earnedUnder(candidate: Program, order: Pick<Order, 'at' | 'fulfilledAt'>, points: Points): Movement {
  const terms = computePointTerms(candidate, order)
  const day = localDay(order.at, candidate.timeZone)
  return toMovement({ kind: 'order', points, at: order.at, day, ...(terms === undefined ? {} : { terms }) })
}

/**
 * A player's balance according to the ledger and under the candidate, which gives `earned` instead of what was earned. Orders and spending extend
 * sliding expiries as they did. Spending stays the same, whether it is covered or not.
 */
export function balancesOf(
  { candidate, published, from, levelsAt }: BalancePlan,
  ledger: readonly LedgerMovement[],
  earned: readonly Movement[],
): Pair<BalanceSums> {
  const under = ledger.map((movement) => movementUnder(candidate, movement))
  const begun = { version: 0, from, program: candidate }
  const endsAfter = [
    ...expiryAssignmentsOf(published.filter((one) => one.from < from)),
    ...expiryAssignmentsOf([begun]),
  ]
  const zone = programAt(published, levelsAt)!.program.timeZone
  return {
    before: balanceAt(levelsAt, zone, ledger, expiryAssignmentsOf(published)),
    after: balanceAt(levelsAt, candidate.timeZone, [...under, ...earned], endsAfter),
  }
}

function movementUnder(candidate: Program, movement: LedgerMovement): Movement {
  const { part, at, day, spent } = movement
  if (part === 'earned') return earnedUnder(candidate, { at }, 0n)
  if (part === 'kept') return movement
  const terms = termsOfDebit(candidate, day)
  return toMovement({ kind: 'redemption', points: -spent, at, day, ...(terms === undefined ? {} : { terms }) })
}

function balanceAt(
  at: Instant,
  zone: string,
  movements: readonly Movement[],
  expiryAssignments: readonly ExpiryAssignment[],
): BalanceSums {
  const day = dayOfView(localDay(at, zone), movements)
  const { available, pending, expired } = balanceOn(day, movements, expiryAssignments)
  const uncovered = uncoveredUntil(day, movements, expiryAssignments)
  const [outstanding, owed] = available < 0n ? [0n, -available] : [available, 0n]
  const notCovered = uncovered.reduce((sum, points) => sum + points, 0n)
  return { outstanding, pending, expired, owed, notCovered, spendsNotCovered: uncovered.length }
}
