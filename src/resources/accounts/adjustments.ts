/*
 * Adjusting one player and undoing it, and what adjusting many has in common with that.
 */

import { prepareAct } from '../../audit-log/record-acts.ts'
import type { Queryable } from '../../database/db/driver.ts'
import type { Deps } from '../../deps.ts'
import { adjustmentFields, undoingFields } from '../../engine/ingest/adjustment.ts'
import { readRecord } from '../../engine/ingest/record.ts'
import { expected, shortened } from '../../engine/ingest/shown.ts'
import { WHOLE_MAX } from '../../engine/points/arithmetic.ts'
import {
  type Adjustment,
  type AdjustmentRefusal,
  type AdjustmentVerdict,
  adjust,
  type Booking,
  type KnownAdjustments,
  type Undoing,
  type UndoingVerdict,
  undo,
  undoingId,
} from '../../engine/points/ledger/adjust.ts'
import type { PublishedProgram } from '../../engine/points/program-model.ts'
import { countsDays, postingDateAt, programAt } from '../../engine/points/programs.ts'
import type { Instant } from '../../engine/points/units.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { underCurrentIds } from '../../ledger/erasures.ts'
import { erasedPlayer, type FieldIssue, unknownPlayer } from '../../ledger/order-refusals.ts'
import { readKnownAdjustments } from '../../ledger/snapshots.ts'
import { type ComputedSlice, writeSlices } from '../../ledger/write-slices.ts'

/** The booking data of adjustments made now: moment, day, program and author. */
export function bookingAt(programs: readonly PublishedProgram[], at: Instant, by: string): Booking {
  const published = countsDays(programs) ? programAt(programs, at) : undefined
  return {
    at,
    day: postingDateAt(programs, at),
    ...(published === undefined ? {} : { program: published.program }),
    by,
  }
}

/** What is known to make these adjustments, and the adjustments under the ids that their players have now. */
export async function readAdjustments(
  db: Queryable,
  { erasureKey }: Pick<Deps, 'erasureKey'>,
  sent: readonly Adjustment[],
): Promise<Readonly<{ adjustments: readonly Adjustment[]; stored: KnownAdjustments }>> {
  const stored = await readKnownAdjustments(db, sent)
  const adjustments = await underCurrentIds(db, erasureKey, sent, (userId) => stored.accounts.has(userId))
  return { adjustments, stored: adjustments === sent ? stored : await readKnownAdjustments(db, adjustments) }
}

export function computeAdjustments(
  adjustments: readonly Adjustment[],
  stored: KnownAdjustments,
  booking: Booking,
): ComputedSlice<AdjustmentVerdict> {
  const { verdicts, accounts, entries } = adjust(adjustments, stored, booking)
  const noOrders = new Map<string, never>()
  return {
    change: { accounts, entries, orders: noOrders },
    before: { accounts: stored.accounts, orders: noOrders },
    verdicts,
  }
}

/** Whether an adjustment, or the undoing of one, was made by this request: only then it is recorded in the audit log. */
export function isInserted(verdict: AdjustmentVerdict | UndoingVerdict): boolean {
  return 'done' in verdict && verdict.done === 'inserted'
}

/** The field of an adjustment that a refusal is about, and a sentence that says what to do. */
export function describeAdjustmentRefusal(
  { userId, id, usableOn, expiresOn }: Adjustment,
  refusal: AdjustmentRefusal,
): FieldIssue {
  const named = usableOn === undefined ? 'expires_on' : 'usable_on'
  switch (refusal) {
    case 'unknown-player':
      return unknownPlayer(userId)
    case 'erased':
      return { ...erasedPlayer('user_id'), hidesKey: true }
    case 'other-content':
      return {
        field: 'id',
        error: `adjustment ${shortened(id)} already exists with different content: a new one needs a new id`,
        kind: 'other content',
      }
    case 'no-days':
      return {
        field: named,
        ...expected('no dates: publish a program with points: first'),
      }
    case 'days-of-a-debit':
      return { field: named, ...expected('no dates: deductions use the points that expire first') }
    case 'ends-before-it-begins':
      return {
        field: 'expires_on',
        ...expected('a date after the first one on which the points can be spent', `"${expiresOn}"`),
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

/**
 * Adjusts one player's points; idempotent by the adjustment's id, `repeated` says that it had been made before, `userId` is the id that the player
 * has now. `data` is unvalidated input;
 * `subject` names the player in the acts, `by` is the id of the caller's token.
 * Errors: InvalidInput, also for the same id with other content; NotFound for an unknown player; Unavailable: safe to retry.
 */
export async function adjustPlayer(
  deps: Deps,
  { userId, subject, by }: Readonly<{ userId: string; subject: string; by: string }>,
  data: unknown,
  deadlineAt: number,
): Promise<{ repeated: boolean; userId: string }> {
  const adjustment = { userId, ...readRecord(adjustmentFields, data, 'data') }
  const startedAt = performance.now()
  const at = deps.now().toISOString()
  const booking = bookingAt(deps.programs(), at, by)
  let current = userId
  const compute = async (db: Queryable, sent: readonly Adjustment[]) => {
    const { adjustments, stored } = await readAdjustments(db, deps, sent)
    current = adjustments[0]!.userId
    return computeAdjustments(adjustments, stored, booking)
  }
  const writeAct = prepareAct('player-adjusted', { at, by })
  const writeAlongside = async (tx: Queryable, _: unknown, [verdict]: readonly AdjustmentVerdict[]) => {
    const { id, points } = adjustment
    if (isInserted(verdict!)) await writeAct(tx, subject, { id, points: Number(points) })
  }
  const write = { compute, wanted: [adjustment], writeAlongside, at, deadlineAt }
  const [verdict] = (await writeSlices(deps, [[adjustment]], write)) as [AdjustmentVerdict]

  const inserted = isInserted(verdict) ? 1 : 0
  const counts = { inserted, updated: 0, skipped: 1 - inserted }
  const durationMs = performance.now() - startedAt
  deps.observe({ kind: 'batch-upserted', noun: 'adjustments', dryRun: false, ...counts, durationMs })
  if ('done' in verdict) return { repeated: verdict.done === 'unchanged', userId: current }
  const { field, error } = describeAdjustmentRefusal(adjustment, verdict.refused)
  if (verdict.refused === 'unknown-player' || verdict.refused === 'erased') throw new NotFound(error)
  throw new InvalidInput(`data.${field}`, error)
}

/**
 * Reverses a player's adjustment with an entry of its own; idempotent, `repeated` says that it had been undone before (decision 139). `data` is
 * unvalidated input; `subject` names the player in the acts, `by` is the id of the caller's token.
 * Errors: InvalidInput; NotFound for an unknown player or adjustment; Unavailable: safe to retry.
 */
export async function undoAdjustment(
  deps: Deps,
  { userId, id, subject, by }: Readonly<{ userId: string; id: string; subject: string; by: string }>,
  data: unknown,
  deadlineAt: number,
): Promise<{ repeated: boolean }> {
  const undoing: Undoing = { userId, id, ...readRecord(undoingFields, data, 'data') }
  const at = deps.now().toISOString()
  const booking = bookingAt(deps.programs(), at, by)
  const orders = new Map<string, never>()
  const compute = async (db: Queryable) => {
    const stored = await readKnownAdjustments(db, [undoing, { userId, id: undoingId(id) }])
    const { verdict, accounts, entries } = undo(undoing, stored, booking)
    const change = { accounts, entries, orders }
    return { change, before: { accounts: stored.accounts, orders }, verdicts: [verdict] }
  }
  const writeAct = prepareAct('adjustment-undone', { at, by })
  const writeAlongside = async (tx: Queryable, _: unknown, [verdict]: readonly UndoingVerdict[]) => {
    if (isInserted(verdict!)) await writeAct(tx, subject, { id })
  }
  const write = { compute, wanted: [undoing], writeAlongside, at, deadlineAt }
  const [verdict] = (await writeSlices(deps, [[undoing]], write)) as [UndoingVerdict]
  if ('done' in verdict) return { repeated: verdict.done === 'unchanged' }
  throw refusalOf(undoing, verdict.refused)
}

function refusalOf(
  { userId, id, reason }: Undoing,
  refused: Extract<UndoingVerdict, { refused: string }>['refused'],
): Error {
  switch (refused) {
    case 'unknown-adjustment':
      return new NotFound(`player ${shortened(userId)} has no adjustment ${shortened(id)}`)
    case 'is-undoing':
      return new InvalidInput('id', `adjustment ${shortened(id)} undoes another one: make a new adjustment instead`)
    case 'id-taken':
      return new InvalidInput(
        'id',
        `adjustment ${shortened(undoingId(id))} already exists: make a new adjustment instead`,
      )
    case 'unknown-player':
    case 'erased':
    case 'too-many-points': {
      const { field, error } = describeAdjustmentRefusal({ userId, id, reason, points: 0n, counts: false }, refused)
      return refused === 'too-many-points' ? new InvalidInput(field, error) : new NotFound(error)
    }
    default:
      return refused satisfies never
  }
}
