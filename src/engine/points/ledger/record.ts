/*
 * Recording orders: from orders and a snapshot to accounts, entries and revisions. Pure: src/ledger reads the snapshot and writes the
 * changes. A prediction is a recording that is never written.
 */
import type { Entry, Note, Prediction, RecordedOrder, SentOrder } from '../model.ts'
import { unknownProductsIn } from '../predict.ts'
import type { PublishedProgram } from '../program-model.ts'
import { postingDateAt } from '../programs.ts'
import { overpaidBy } from '../redeem-rules.ts'
import type { Instant, PlainDate, Points, Sku } from '../units.ts'
import { type Evaluation, evaluateOrder, isOwnOrder, type OrderRefusal } from './evaluate-order.ts'
import type { LedgerChange } from './pending-ledger.ts'
import { dayOfPosting } from './postings.ts'
import { createRepeatedStates, type RepeatedStates } from './repeated-states.ts'
import type { Snapshot, SnapshotQuery } from './snapshot.ts'
import { changeByRevision, isIdUsedAgain, isSameState, keepFirstDigests } from './state-versions.ts'
import { createWorkingLedger, type WorkingLedger } from './working-ledger.ts'

export type OrderVerdict = Readonly<
  | { refused: OrderRefusal }
  | {
      done: 'inserted' | 'updated' | 'unchanged'
      prediction: Prediction
      /** The order's moment. */
      at: Instant
      /** How many of its points pay more than it is worth. */
      overpaid: Points
      /** Its products that are missing from the catalogue. */
      unknown: readonly Sku[]
      /** The moment of the recorded order, where this is probably another one under the same id. */
      usedAgain?: Instant
    }
>

/** A verdict for each order, in the order sent, and the changes to write. */
export type Recording = LedgerChange &
  Readonly<{
    verdicts: readonly OrderVerdict[]
    /** Queries that the snapshot could not answer. If there are any, the recording must be discarded: look up the answers and record again. */
    missing: readonly SnapshotQuery[]
  }>

/**
 * Records orders, one after the other. An order already recorded in this state changes nothing. A different state becomes the next revision: it posts
 * the difference, computed with the program and the facts of the first recording.
 *
 * `now` (RFC 3339, UTC) is the moment of arrival, used for orders that name none; `by` is the id of the caller's token. A list may be cut into several
 * calls that share its `repeated` states, in which they note what they have decided. Errors: UnknownVersion.
 * Source: docs/programs.md; decisions 20, 30 and 71
 */
export function recordOrders(
  sent: readonly SentOrder[],
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Instant,
  by?: string,
  repeated: RepeatedStates = createRepeatedStates(sent),
): Recording {
  const ledger = createWorkingLedger(snapshot)
  repeated.decide(sent, { order: ledger.order, programs, now })
  const arrival = { now, bookedDay: postingDateAt(programs, now), by }
  const verdicts = sent.map((order) => recordOne(repeated.standInFor(order), ledger, programs, arrival))
  return { verdicts, ...ledger.changes }
}

/**
 * What recording an order would do. An unknown player is treated as new (decision 23). For a stale or conflicting state it is what the recorded state
 * earns, with a note (decision 71). `missing` and `now` are as for recording. Errors: UnknownVersion.
 */
export function previewOrder(
  sent: SentOrder,
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Instant,
): Readonly<{
  preview: { refused: OrderRefusal } | Evaluation
  missing: readonly SnapshotQuery[]
}> {
  const ledger = createWorkingLedger(snapshot)
  const preview = previewOne(sent, ledger, programs, now)
  return { preview, missing: ledger.changes.missing }
}

function previewOne(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: Instant,
): Evaluation | { refused: OrderRefusal } {
  const preview = evaluateOrder(sent, ledger, programs, now)
  if (!('refused' in preview) || (preview.refused !== 'stale' && preview.refused !== 'conflict')) return preview
  const { refused } = preview
  const recorded = evaluateOrder((ledger.order(sent.id) as RecordedOrder).order, ledger, programs, now)
  if ('refused' in recorded) return recorded
  const { notes } = recorded.prediction
  const note: Note = { kind: refused, text: NOTES[refused] }
  return { ...recorded, prediction: { ...recorded.prediction, notes: [note, ...notes] } }
}

const NOTES = {
  stale: 'a newer version of this order is already stored: these are the points of the stored order',
  conflict: 'this version of the order is stored with other content: these are the points of the stored order',
} as const

/**
 * A state of an order of an erased player, without what the erasure has taken from it; undefined if it is not taken: only the end of a recorded order
 * is, so that its points are taken back (decision 216).
 */
function endOfErased(sent: SentOrder, ledger: WorkingLedger): SentOrder | undefined {
  const recorded = ledger.order(sent.id)
  if (sent.status === 'placed' || recorded === undefined || !isOwnOrder(recorded, sent.userId)) return undefined
  return { ...sent, referralCode: recorded.order.referralCode }
}

/** Whether recording a new order needs the balance: its facts are kept, and the conditions of a later program may read any of them. */
export function recordsBalance(): boolean {
  return true
}

function recordOne(
  asSent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  { now, ...booked }: Readonly<{ now: Instant; bookedDay: PlainDate; by: string | undefined }>,
): OrderVerdict {
  const sent = ledger.isErased(asSent.userId) ? endOfErased(asSent, ledger) : asSent
  if (sent === undefined) return { refused: 'erased' }
  if (!ledger.isPlayer(sent.userId)) return { refused: 'unknown-player' }
  const evaluation = evaluateOrder(sent, ledger, programs, now, recordsBalance)
  if ('refused' in evaluation) return evaluation
  const { order, recorded, prediction, published, facts } = evaluation
  const isUnchanged = recorded !== undefined && isSameState(recorded.order, order)
  const overpaid = overpaidBy(order, facts.prices, published.program)
  const unknown = unknownProductsIn(order, facts.prices)
  const done = { prediction, at: order.at, overpaid, unknown }
  if (isUnchanged) {
    const { stateVersion = recorded.stateVersion } = sent
    if (stateVersion !== recorded.stateVersion) ledger.raiseVersion({ ...recorded, stateVersion: stateVersion! })
    return { done: 'unchanged', ...done }
  }
  const rev = (recorded?.rev ?? 0n) + 1n
  ledger.write(toRecordedOrder(evaluation, sent, rev, now), toEntries(evaluation, rev, booked), evaluation.redemptions)
  if (recorded === undefined) return { done: 'inserted', ...done }
  return { done: 'updated', ...done, ...(isIdUsedAgain(recorded.order, order) ? { usedAgain: recorded.order.at } : {}) }
}

function toRecordedOrder(
  { order, recorded, facts, prediction }: Evaluation,
  sent: SentOrder,
  rev: bigint,
  now: Instant,
): RecordedOrder {
  const stateVersion = sent.stateVersion ?? recorded?.stateVersion
  const { points, referrer } = prediction
  return {
    order,
    facts,
    points,
    ...(referrer === undefined || referrer.points === 0n
      ? {}
      : { referrer: { userId: referrer.userId, points: referrer.points } }),
    rev,
    ...(stateVersion === undefined ? {} : { stateVersion }),
    recordedAt: now,
    ...keepFirstDigests(recorded),
  }
}

function toEntries(
  { order, recorded, facts, published, prediction, postings }: Evaluation,
  revision: bigint,
  { bookedDay: postingDate, by }: Readonly<{ bookedDay: PlainDate; by: string | undefined }>,
): Omit<Entry, 'seq'>[] {
  const change = changeByRevision(recorded?.order, order)
  return postings.map(({ redemptionId, ...posting }) => ({
    ...posting,
    day: dayOfPosting(posting, published.program),
    bookedDay: postingDate,
    ...(redemptionId === undefined ? {} : { redemption: { id: redemptionId } }),
    order: {
      id: order.id,
      revision,
      program: facts.program,
      change,
      ...(posting.kind === 'order' ? { prediction } : {}),
    },
    ...(by === undefined ? {} : { by }),
  }))
}
