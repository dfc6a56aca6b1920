/*
 * A player's balance as it is, and as it would be under another program, of the same spending. Pure. Source: docs/decisions/0150-balances-in-backtests.md
 */
import { localDay } from '../points/local-time.ts'
import {
  balanceOn,
  dayOfView,
  type LateEnd,
  lateEndsOf,
  type Movement,
  movementOf,
  uncoveredUntil,
} from '../points/lots.ts'
import type { Order } from '../points/model.ts'
import type { Program, PublishedProgram } from '../points/program-model.ts'
import { countsDays, programAt } from '../points/programs.ts'
import { termsOf, termsOfDebit } from '../points/terms.ts'
import type { Moment, Points } from '../points/units.ts'
import type { BalanceSums, Pair } from './tally.ts'

/**
 * What entries of a moment come to. `earned` was given for orders that are computed again, `spent` was spent while they were earned: both have other
 * days under another program. What is `kept` has its own.
 */
export type LedgerMovement = Movement & Readonly<{ at: Moment; part: 'earned' | 'spent' | 'kept' }>

/** What balances are compared of: the candidate holds from `from` on (RFC 3339, or `-infinity`), and they are looked at on the day of `levelsAt`. */
export type BalancePlan = Readonly<{
  candidate: Program
  held: readonly PublishedProgram[]
  from: string
  levelsAt: string
}>

/** Whether any program gives points days, or lets them be spent; else balances are what is booked. */
export function asksForBalances({ candidate, held }: Pick<BalancePlan, 'candidate' | 'held'>): boolean {
  return countsDays([...held, { version: 0, from: '-infinity', program: candidate }])
}

/** What an order would have given under the candidate, on its days. */
export function earnedUnder(candidate: Program, order: Pick<Order, 'at' | 'fulfilledAt'>, points: Points): Movement {
  const terms = termsOf(candidate, order)
  const day = localDay(order.at, candidate.timeZone)
  return movementOf({ kind: 'order', points, at: order.at, day, ...(terms === undefined ? {} : { terms }) })
}

/**
 * A player's balance by the ledger and under the candidate, which gave `earned` instead of what was earned. Every order and all spending keeps points
 * alive that slide, as it did. What was spent stays, covered or not.
 */
export function balancesOf(
  { candidate, held, from, levelsAt }: BalancePlan,
  ledger: readonly LedgerMovement[],
  earned: readonly Movement[],
): Pair<BalanceSums> {
  const under = ledger.map((movement) => movementUnder(candidate, movement))
  const begun = { version: 0, from, program: candidate }
  const endsAfter = [...lateEndsOf(held.filter((one) => one.from < from)), ...lateEndsOf([begun])]
  const zone = programAt(held, levelsAt)!.program.timeZone
  return {
    before: balanceAt(levelsAt, zone, ledger, lateEndsOf(held)),
    after: balanceAt(levelsAt, candidate.timeZone, [...under, ...earned], endsAfter),
  }
}

function movementUnder(candidate: Program, movement: LedgerMovement): Movement {
  const { part, at, day, spent } = movement
  if (part === 'earned') return earnedUnder(candidate, { at }, 0n)
  if (part === 'kept') return movement
  const terms = termsOfDebit(candidate, day)
  return movementOf({ kind: 'redemption', points: -spent, at, day, ...(terms === undefined ? {} : { terms }) })
}

function balanceAt(
  at: Moment,
  zone: string,
  movements: readonly Movement[],
  lateEnds: readonly LateEnd[],
): BalanceSums {
  const day = dayOfView(localDay(at, zone), movements)
  const { available, pending, expired } = balanceOn(day, movements, lateEnds)
  const uncovered = uncoveredUntil(day, movements, lateEnds)
  const [outstanding, owed] = available < 0n ? [0n, -available] : [available, 0n]
  const notCovered = uncovered.reduce((sum, points) => sum + points, 0n)
  return { outstanding, pending, expired, owed, notCovered, spendsNotCovered: uncovered.length }
}
