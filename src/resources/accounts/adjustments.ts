/*
 * What adjusting one player and adjusting many have in common.
 */
import { expected, shortened } from '../../engine/ingest/shown.ts'
import { WHOLE_MAX } from '../../engine/points/arithmetic.ts'
import {
  type Adjustment,
  type AdjustmentRefusal,
  type AdjustmentVerdict,
  adjust,
  type Booking,
  type KnownAdjustments,
} from '../../engine/points/ledger/adjust.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { bookedDayAt, countsDays, programAt } from '../../engine/points/programs.ts'
import type { Moment } from '../../engine/points/units.ts'
import { type FieldFault, unknownPlayer } from '../../ledger/order-refusals.ts'
import type { ComputedSlice } from '../../ledger/write-slices.ts'

/** The booking data of adjustments made now: moment, day, program and author. */
export function bookingAt(programs: readonly PublishedProgram[], at: Moment, by: string): Booking {
  const published = countsDays(programs) ? programAt(programs, at) : undefined
  return {
    at,
    day: bookedDayAt(programs, at),
    ...(published === undefined ? {} : { program: published.program }),
    by,
  }
}

export function computeAdjustments(
  adjustments: readonly Adjustment[],
  known: KnownAdjustments,
  booking: Booking,
): ComputedSlice<AdjustmentVerdict> {
  const { verdicts, accounts, entries } = adjust(adjustments, known, booking)
  const noOrders = new Map<string, never>()
  return {
    change: { accounts, entries, orders: noOrders },
    before: { accounts: known.accounts, orders: noOrders },
    verdicts,
  }
}

/** The field of an adjustment that a refusal is about, and a sentence that says what to do. */
export function describeAdjustmentRefusal(
  { userId, id, usableOn, expiresOn }: Adjustment,
  refusal: AdjustmentRefusal,
): FieldFault {
  const named = usableOn === undefined ? 'expires_on' : 'usable_on'
  switch (refusal) {
    case 'unknown-player':
      return unknownPlayer(userId)
    case 'other-content':
      return {
        field: 'id',
        error: `adjustment ${shortened(id)} already exists with different content: a new one needs a new id`,
        kind: 'other content',
      }
    case 'no-days':
      return {
        field: named,
        ...expected('no days: publish a program with points: first, for balances that depend on days'),
      }
    case 'days-of-a-debit':
      return { field: named, ...expected('no days: points that are taken away come from those that expire soonest') }
    case 'ends-before-it-begins':
      return {
        field: 'expires_on',
        ...expected('a day after the first one on which the points can be spent', `"${expiresOn}"`),
      }
    case 'too-many-points':
      return {
        field: 'points',
        ...expected(`an adjustment that leaves the account between -${WHOLE_MAX} and ${WHOLE_MAX} points`),
      }
    default:
      return refusal satisfies never
  }
}
