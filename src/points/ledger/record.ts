/*
 * What recording orders does: accounts, entries and revisions from orders and what is known of them. Pure; the store reads the
 * snapshot and writes the outcome. A prediction is a recording that is not written.
 */
import type { Entry, Facts, Order, Prediction, RecordedOrder, SentOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
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
      /** When the order was recorded last before this; undefined where it is new. */
      recordedBefore: string | undefined
      /** The order's moment, and which of its recordings this is. */
      at: string
      rev: bigint
    }
>

/** What became of each order, in the order sent, and what is to be written. */
export type Recording = LedgerChange &
  Readonly<{
    verdicts: readonly OrderVerdict[]
    /** Windows that the snapshot does not know: the outcome is good only when there are none. */
    missing: readonly WindowQuestion[]
  }>

/**
 * Records orders, one after the other. An order in its recorded state changes nothing; another state is the next revision and posts
 * the difference, computed with the program and facts of the first recording.
 *
 * `now` is the moment of arrival, for orders that name none. Errors: UnknownVersion.
 * Source: docs/programs.md; decisions 30, 33 and 34
 */
export function recordOrders(
  sent: readonly SentOrder[],
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: string,
): Recording {
  const ledger = createWorkingLedger(snapshot)
  const verdicts = sent.map((order) => recordOne(order, ledger, programs, now))
  return { verdicts, ...ledger.changes }
}

/**
 * What recording an order would say, nothing recorded. An unknown player is a new one (decision 24).
 * `missing` as in Recording. Errors: UnknownVersion.
 */
export function previewOrder(
  sent: SentOrder,
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: string,
): Readonly<{
  foreseen:
    | { refused: OrderRefusal }
    | { order: Order; prediction: Prediction; published: PublishedProgram; facts: Facts }
  missing: readonly WindowQuestion[]
}> {
  const ledger = createWorkingLedger(snapshot)
  const foreseen = evaluateOrder(sent, ledger, programs, now)
  return { foreseen, missing: ledger.changes.missing }
}

function recordOne(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: string,
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

function toRecordedOrder({ order, recorded, facts, prediction }: Evaluation, rev: bigint, now: string): RecordedOrder {
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
