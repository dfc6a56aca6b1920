/*
 * Orders that a list sends in several states, such as a list that is sent again. Where the states of an order lead back to the recorded one, they
 * are all recorded as the last of them, and so change nothing (decision 71).
 */
import type { Order, RecordedOrder, SentOrder } from '../model.ts'
import type { PublishedProgram } from '../program-model.ts'
import type { Instant, OrderId } from '../units.ts'
import { refusalOfCurrency } from './currency-refusal.ts'
import { refusalOfDecimals } from './decimals.ts'
import { isOwnOrder, mergeOrderState } from './evaluate-order.ts'
import { requireProgramVersion } from './recompute.ts'
import type { ForeignOrder } from './snapshot.ts'
import { isSameState } from './state-versions.ts'

export type RepeatedStates = ReturnType<typeof createRepeatedStates>

/** What states are compared with. */
type Known = Readonly<{
  /** The order as recorded before the slice. */
  order: (id: OrderId) => RecordedOrder | ForeignOrder | undefined
  programs: readonly PublishedProgram[]
  now: Instant
}>

/**
 * The repeated orders of a list, which may be recorded in several slices: all states of an order are decided on with the first of them, and what is
 * recorded in their place is remembered for later slices.
 */
export function createRepeatedStates(sent: readonly SentOrder[]) {
  const statesOf = statesByFirst(sent)
  const standIns = new Map<SentOrder, SentOrder>()
  return {
    /** Decides on the orders that begin in this slice, and again if the slice is computed again. Errors: UnknownVersion. */
    decide(slice: readonly SentOrder[], context: Known): void {
      for (const first of slice)
        for (const [state, standIn] of standInsFor(statesOf.get(first) ?? [], context)) standIns.set(state, standIn)
    },
    /** The state to record in place of this one: itself, unless it was decided otherwise. */
    standInFor: (state: SentOrder): SentOrder => standIns.get(state) ?? state,
  }
}

/** All states of each order that a player's list repeats, in the order sent, by the first of them. */
function statesByFirst(sent: readonly SentOrder[]): ReadonlyMap<SentOrder, readonly SentOrder[]> {
  const byOrder = Map.groupBy(sent, ({ id }) => id)
  if (byOrder.size === sent.length) return new Map()
  const byPlayer = [...byOrder.values()].flatMap((states) => [...Map.groupBy(states, ({ userId }) => userId).values()])
  return new Map(byPlayer.filter(({ length }) => length > 1).map((states) => [states[0]!, states]))
}

/** Each state of an order with the one to record in its place: itself, or the last one that counts if those that count lead back. */
function standInsFor(states: readonly SentOrder[], context: Known): [state: SentOrder, standIn: SentOrder][] {
  const counting = new Set(states.filter((state) => !isStale(state, context) && hasAllowedMoney(state, context)))
  const end = [...counting].at(-1)
  const leadsBack = end !== undefined && isRoundTrip([...counting], end, context)
  return states.map((state) => [state, leadsBack && counting.has(state) ? end : state])
}

/** A state with a lower version than the recorded one will be refused, and so leads nowhere (decision 71). */
function isStale({ id, userId, stateVersion }: SentOrder, { order }: Known): boolean {
  const recorded = order(id)
  if (recorded === undefined || !isOwnOrder(recorded, userId)) return false
  const { stateVersion: recordedVersion } = recorded
  return stateVersion !== undefined && recordedVersion !== undefined && stateVersion < recordedVersion
}

/** A state with too many decimals, or in another currency, will be refused, and so leads nowhere. */
function hasAllowedMoney(sent: SentOrder, { order, programs, now }: Known): boolean {
  const recorded = sent.decimals === undefined && sent.currency === undefined ? undefined : order(sent.id)
  if (recorded === undefined || !isOwnOrder(recorded, sent.userId)) return true
  const published = requireProgramVersion(recorded, programs)
  return (
    refusalOfDecimals(sent, recorded.order, published, programs, now) === undefined &&
    refusalOfCurrency(sent, recorded.order, published) === undefined
  )
}

/**
 * Whether these states of one order of a player, taken in turn, end in the recorded one. They do not if the last of them would be refused: as stale
 * where an earlier one has a higher version, as a conflict where one has the same version and another content (decision 71).
 */
function isRoundTrip(states: readonly SentOrder[], end: SentOrder, { order }: Known): boolean {
  const stored = order(end.id)
  if (stored === undefined || !isOwnOrder(stored, end.userId)) return false
  const { order: recorded } = stored
  const isRecorded = (state: Order) => isSameState(recorded, state)
  const { stateVersion: version = -1 } = end
  const hidesEnd = (one: SentOrder) =>
    (one.stateVersion ?? -1) > version ||
    (one.stateVersion === version && !isRecorded(mergeOrderState(one, recorded, recorded.at)))
  // A field that the last state leaves out keeps what an earlier one says.
  return (
    !states.some(hidesEnd) &&
    isRecorded(states.reduce((before, one) => mergeOrderState(one, before, before.at), recorded))
  )
}
