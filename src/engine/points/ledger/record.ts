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
import type { Question, Snapshot } from './snapshot.ts'
import { changeByRevision, firstOf, isSameState } from './state-versions.ts'
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
    /** Of the orders that begin here. */
    takenAs: TakenAs
  }>

/** All states of each order that a player's list repeats, in the order sent, by the first of them. */
export type RepeatedOrders = ReadonlyMap<SentOrder, readonly SentOrder[]>

/** For each state of a repeated order, the one that is recorded in its place: itself, unless they lead back (decision 77). */
export type TakenAs = ReadonlyMap<SentOrder, SentOrder>

/** The repeated orders of a whole list, and what those that began in earlier calls are taken as. */
export type Repeats = Readonly<{ repeated: RepeatedOrders; takenAs: TakenAs }>

/** Finds the orders that a list repeats. */
export function repeatedOrders(sent: readonly SentOrder[]): RepeatedOrders {
  const byOrder = Map.groupBy(sent, ({ id }) => id)
  if (byOrder.size === sent.length) return new Map()
  const byPlayer = [...byOrder.values()].flatMap((states) => [...Map.groupBy(states, ({ userId }) => userId).values()])
  return new Map(byPlayer.filter(({ length }) => length > 1).map((states) => [states[0]!, states]))
}

/**
 * Records orders, one after the other. An order already recorded in this state changes nothing. A different state becomes the next revision: it posts
 * the difference, computed with the program and the facts of the first recording.
 *
 * `now` (RFC 3339, UTC) is the moment of arrival, used for orders that name none; `by` is the id of the caller's token. A list may be cut into several
 * calls, each with its `repeats`. Errors: UnknownVersion.
 * Source: docs/programs.md; decisions 30, 33, 34, 71 and 77
 */
export function recordOrders(
  sent: readonly SentOrder[],
  snapshot: Snapshot,
  programs: readonly PublishedProgram[],
  now: Moment,
  by?: string,
  repeats: Repeats = { repeated: repeatedOrders(sent), takenAs: new Map() },
): Recording {
  const ledger = createWorkingLedger(snapshot)
  const hasAllowedDecimals = (order: SentOrder) => {
    const known = order.decimals && ledger.order(order.id)
    if (known === undefined || !isOrderOf(known, order.userId)) return true
    return refusalOfDecimals(order.decimals, versionOf(known, programs), programs, now) === undefined
  }
  const arrival = { now, bookedDay: bookedDayAt(programs, now), by }
  const takenAs = new Map(
    sent.flatMap((first) => withoutRoundTrip(repeats.repeated.get(first) ?? [], ledger, hasAllowedDecimals)),
  )
  const taken = (order: SentOrder) => takenAs.get(order) ?? repeats.takenAs.get(order) ?? order
  const verdicts = sent.map((order) => recordOne(taken(order), ledger, programs, arrival))
  return { verdicts, takenAs, ...ledger.changes }
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
 * Each state of an order with the one to record in its place: itself or, if taking them one by one leads back to the recorded state, the last of
 * them, so that resending a list adds no entries (decision 77). States that fail `isTaken` are left as they are.
 */
function withoutRoundTrip(
  states: readonly SentOrder[],
  ledger: WorkingLedger,
  isTaken: (order: SentOrder) => boolean,
): [sent: SentOrder, recorded: SentOrder][] {
  const taken = new Set(states.filter(isTaken))
  const end = [...taken].at(-1)
  const leadsBack = end !== undefined && isRoundTrip([...taken], ledger)
  return states.map((one) => [one, leadsBack && taken.has(one) ? end : one])
}

/**
 * Whether these states of one order of a player, taken in turn, end in the recorded one. They do not if the last of them would be refused: as stale
 * where an earlier one has a higher version, as a conflict where one has the same version and another content (decision 71).
 */
function isRoundTrip(states: readonly SentOrder[], ledger: WorkingLedger): boolean {
  const end = states.at(-1)!
  const known = ledger.order(end.id)
  if (known === undefined || !isOrderOf(known, end.userId)) return false
  const { order: recorded } = known
  const isRecorded = (state: Order) => isSameState(recorded, state)
  const { stateVersion: version = -1 } = end
  const hidesEnd = (one: SentOrder) =>
    (one.stateVersion ?? -1) > version ||
    (one.stateVersion === version && !isRecorded(stateOf(one, recorded, recorded.at)))
  // A field that the last state leaves out keeps what an earlier one says.
  return !states.some(hidesEnd) && isRecorded(states.reduce((before, one) => stateOf(one, before, before.at), recorded))
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
