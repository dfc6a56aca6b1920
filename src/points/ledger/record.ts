/*
 * Recording orders: from orders and a snapshot to accounts, entries and revisions. Pure: the store reads the snapshot and writes the
 * changes. A prediction is a recording that is never written.
 */
import type { Entry, Note, Order, Prediction, RecordedOrder, SentOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import { bookedDayAt } from '../programs.ts'
import type { Day, Moment } from '../units.ts'
import { refusalOfDecimals } from './decimals.ts'
import { type Evaluation, evaluateOrder, isOrderOf, type OrderRefusal, stateOf } from './evaluate-order.ts'
import type { LedgerChange } from './overlay.ts'
import { dayOfPosting } from './postings.ts'
import { versionOf } from './recompute.ts'
import { changeByRevision, firstOf, isSameState } from './revision.ts'
import type { Question, Snapshot } from './snapshot.ts'
import { createWorkingLedger, type WorkingLedger } from './working-ledger.ts'

export type OrderVerdict = Readonly<
  | { refused: OrderRefusal }
  | {
      done: 'inserted' | 'updated' | 'unchanged'
      prediction: Prediction
      /** When the order was last recorded before this; undefined if it is new. */
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
    /** Questions that the snapshot could not answer. If there are any, the recording must be discarded: look up the answers and record again. */
    missing: readonly Question[]
  }>

/**
 * Records orders, one after the other; all states of an order must be in the same call. An order already recorded in this state changes nothing. A
 * different state becomes the next revision: it posts the difference, computed with the program and the facts of the first recording.
 *
 * `now` (RFC 3339, UTC) is the moment of arrival, used for orders that name none; `by` is the id of the caller's token. Errors: UnknownVersion.
 * Source: docs/programs.md; decisions 30, 33, 34, 71 and 77
 */
export function recordOrders(
  sent: readonly SentOrder[],
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Moment,
  by?: string,
): Recording {
  const ledger = createWorkingLedger(snapshot)
  const hasAllowedDecimals = (order: SentOrder) => {
    const known = order.decimals && ledger.order(order.id)
    if (known === undefined || !isOrderOf(known, order.userId)) return true
    return refusalOfDecimals(order.decimals, versionOf(known, programs), programs, now) === undefined
  }
  const arrival = { now, bookedDay: bookedDayAt(programs, now), by }
  const verdicts = withoutRoundTrips(sent, ledger, hasAllowedDecimals).map((order) =>
    recordOne(order, ledger, programs, arrival),
  )
  return { verdicts, ...ledger.changes }
}

/**
 * What recording an order would do. An unknown player is treated as new (decision 24). For a stale or conflicting state it is what the recorded state
 * earns, with a note (decision 71). `missing` and `now` are as for recording. Errors: UnknownVersion.
 */
export function previewOrder(
  sent: SentOrder,
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Moment,
): Readonly<{
  preview: { refused: OrderRefusal } | Evaluation
  missing: readonly Question[]
}> {
  const ledger = createWorkingLedger(snapshot)
  const preview = previewOne(sent, ledger, programs, now)
  return { preview, missing: ledger.changes.missing }
}

function previewOne(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  now: Moment,
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
  stale: 'a newer state of this order is recorded: this is what that one earns',
  conflict: 'another state of this order is recorded under this version: this is what that one earns',
} as const

/**
 * If taking the states of an order one by one leads back to the recorded state, its last state replaces them all, so that resending a list adds no
 * entries (decision 77). States that fail `isTaken` are left as they are.
 */
function withoutRoundTrips(
  sent: readonly SentOrder[],
  ledger: WorkingLedger,
  isTaken: (order: SentOrder) => boolean,
): readonly SentOrder[] {
  if (sent.length < 2) return sent
  const taken = sent.filter(isTaken)
  const byOrder = Map.groupBy(taken, ({ id }) => id)
  if (byOrder.size === taken.length) return sent
  const ends = new Map(
    [...byOrder].flatMap(([id, states]) => (isRoundTrip(states, ledger) ? [[id, states.at(-1)!]] : [])),
  )
  return sent.map((order) => {
    const end = ends.get(order.id)
    return end?.userId === order.userId && isTaken(order) ? end : order
  })
}

/**
 * Whether these states of one order, taken in turn, end in the recorded one. They do not if the last of them would be refused: as stale where an
 * earlier one has a higher version, as a conflict where one has the same version and another content (decision 71).
 */
function isRoundTrip(states: readonly SentOrder[], ledger: WorkingLedger): boolean {
  const end = states.at(-1)!
  const known = ledger.order(end.id)
  if (known === undefined || !isOrderOf(known, end.userId)) return false
  const { order: recorded } = known
  const isRecorded = (state: Order) => isSameState(recorded, state)
  const own = states.filter(({ userId }) => userId === end.userId)
  const { stateVersion: version = -1 } = end
  const hidesEnd = (one: SentOrder) =>
    (one.stateVersion ?? -1) > version ||
    (one.stateVersion === version && !isRecorded(stateOf(one, recorded, recorded.at)))
  // A field that the last state leaves out keeps what an earlier one says.
  return !own.some(hidesEnd) && isRecorded(own.reduce((before, one) => stateOf(one, before, before.at), recorded))
}

function recordOne(
  sent: SentOrder,
  ledger: WorkingLedger,
  programs: readonly PublishedProgram[],
  { now, ...booked }: Readonly<{ now: Moment; bookedDay: Day; by: string | undefined }>,
): OrderVerdict {
  if (!ledger.isPlayer(sent.userId)) return { refused: 'unknown-player' }
  // The facts are kept, and the conditions of a later program may read any of them.
  const evaluation = evaluateOrder(sent, ledger, programs, now, () => true)
  if ('refused' in evaluation) return evaluation
  const { order, recorded, prediction } = evaluation
  const isUnchanged = recorded !== undefined && isSameState(recorded.order, order)
  const rev = (recorded?.rev ?? 0n) + (isUnchanged ? 0n : 1n)
  const done = { prediction, recordedBefore: recorded?.recordedAt, at: order.at, rev }
  if (isUnchanged) {
    const { stateVersion = recorded.stateVersion } = sent
    if (stateVersion !== recorded.stateVersion) ledger.raiseVersion({ ...recorded, stateVersion: stateVersion! })
    return { done: 'unchanged', ...done }
  }
  ledger.write(toRecordedOrder(evaluation, sent, rev, now), toEntries(evaluation, rev, booked), evaluation.redemptions)
  return { done: recorded === undefined ? 'inserted' : 'updated', ...done }
}

function toRecordedOrder(
  { order, recorded, facts, prediction }: Evaluation,
  sent: SentOrder,
  rev: bigint,
  now: Moment,
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
    ...firstOf(recorded),
  }
}

function toEntries(
  { order, recorded, facts, published, prediction, postings }: Evaluation,
  revision: bigint,
  { bookedDay, by }: Readonly<{ bookedDay: Day; by: string | undefined }>,
): Omit<Entry, 'seq'>[] {
  const change = changeByRevision(recorded?.order, order)
  return postings.map(({ redemptionId, ...posting }) => ({
    ...posting,
    day: dayOfPosting(posting, published.program),
    bookedDay,
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
