/*
 * Recording orders: accounts, entries and revisions from orders and a snapshot. Pure: the store reads the snapshot and writes the
 * changes. A prediction is a recording that is not written.
 */
import type { Entry, Prediction, RecordedOrder, SentOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { Moment } from '../units.ts'
import { type Evaluation, evaluateOrder, type OrderRefusal } from './evaluate.ts'
import type { LedgerChange } from './overlay.ts'
import { firstOf, isSameState } from './revision.ts'
import type { Snapshot, WindowQuestion } from './snapshot.ts'
import { createWorkingLedger, type WorkingLedger } from './working-ledger.ts'

export type OrderVerdict = Readonly<
  | { refused: OrderRefusal }
  | {
      done: 'inserted' | 'updated' | 'unchanged'
      prediction: Prediction
      /** When the order was recorded before, last; undefined where it is new. */
      recordedBefore: string | undefined
      /** The order's moment and revision. */
      at: Moment
      rev: bigint
    }
>

/** A verdict for each order, in the order sent, and the changes to write. */
export type Recording = LedgerChange &
  Readonly<{
    verdicts: readonly OrderVerdict[]
    /** Questions that the snapshot could not answer. If there are any, the recording is wrong: ask them and record again. */
    missing: readonly WindowQuestion[]
  }>

/**
 * Records orders, one after the other. An order in its recorded state changes nothing. Another state is the next revision: it posts
 * the difference, computed with the program and the facts of the first recording.
 *
 * `now` (RFC 3339, UTC) is the moment of arrival, for orders that name none. Errors: UnknownVersion.
 * Source: docs/programs.md; decisions 30, 33 and 34
 */
export function recordOrders(
  sent: readonly SentOrder[],
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Moment,
): Recording {
  const ledger = createWorkingLedger(snapshot)
  const verdicts = sent.map((order) => recordOne(order, ledger, programs, now))
  return { verdicts, ...ledger.changes }
}

/**
 * What recording an order would say, without recording it. An unknown player counts as new (decision 24).
 * `missing` and `now` as for recording. Errors: UnknownVersion.
 */
export function previewOrder(
  sent: SentOrder,
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Moment,
): Readonly<{
  preview: { refused: OrderRefusal } | Pick<Evaluation, 'order' | 'prediction' | 'published' | 'facts'>
  missing: readonly WindowQuestion[]
}> {
  const ledger = createWorkingLedger(snapshot)
  const preview = evaluateOrder(sent, ledger, programs, now)
  return { preview, missing: ledger.changes.missing }
}

function recordOne(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: Moment,
): OrderVerdict {
  if (!ledger.isPlayer(sent.userId)) return { refused: 'unknown-player' }
  const evaluation = evaluateOrder(sent, ledger, programs, now)
  if ('refused' in evaluation) return evaluation
  const { order, recorded, prediction } = evaluation
  const isUnchanged = recorded !== undefined && isSameState(recorded.order, order)
  const rev = (recorded?.rev ?? 0n) + (isUnchanged ? 0n : 1n)
  const done = { prediction, recordedBefore: recorded?.recordedAt, at: order.at, rev }
  if (isUnchanged) return { done: 'unchanged', ...done }
  ledger.write(toRecordedOrder(evaluation, rev, now), toEntries(evaluation, rev))
  return { done: recorded === undefined ? 'inserted' : 'updated', ...done }
}

function toRecordedOrder({ order, recorded, facts, prediction }: Evaluation, rev: bigint, now: Moment): RecordedOrder {
  const { points, referrer } = prediction
  return {
    order,
    facts,
    points,
    ...(referrer === undefined || referrer.points === 0n
      ? {}
      : { referrer: { userId: referrer.userId, points: referrer.points } }),
    rev,
    recordedAt: now,
    ...firstOf(recorded),
  }
}

function toEntries({ order, facts, prediction, postings }: Evaluation, revision: bigint): Omit<Entry, 'seq'>[] {
  return postings.map((posting) => ({
    ...posting,
    order: {
      id: order.id,
      revision,
      program: facts.program,
      ...(posting.kind === 'order' ? { prediction } : {}),
    },
  }))
}
