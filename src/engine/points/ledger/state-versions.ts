/*
 * Which of two states of an order, a player or a product is the newer one (decision 71); of an order, also what makes a state a new revision, and what
 * that keeps of the first.
 */
import { digestsOf } from '../digests.ts'
import type { Order, RecordedOrder, Refund, RevisionChange } from '../model.ts'
import { redeemedBy } from '../redeem-rules.ts'
import type { Amount } from '../units.ts'

/** Why a state is not accepted: a newer one is recorded, or a different one under the same version (decision 71). */
export type StateRefusal = 'stale' | 'conflict'

/**
 * Why a sent state is refused, given the version of the recorded one; undefined if it is accepted. A lower version is `stale`: an older state that was
 * sent again, or overtaken on its way. The same version is a `conflict` with any content but the recorded one. A state without a version is always
 * accepted, as is any where none is recorded.
 */
export function refusalOfVersion(
  sent: number | undefined,
  recorded: number | undefined,
  isSameContent: () => boolean,
): StateRefusal | undefined {
  if (sent === undefined || recorded === undefined || sent > recorded) return undefined
  if (sent < recorded) return 'stale'
  return isSameContent() ? undefined : 'conflict'
}

/** Whether two orders are in the same state, compared by value, line by line. */
export function isSameState(a: Order, b: Order): boolean {
  return (
    a.at === b.at &&
    a.fulfilledAt === b.fulfilledAt &&
    redeemedBy(a) === redeemedBy(b) &&
    a.redemptionId === b.redemptionId &&
    a.status === b.status &&
    a.total === b.total &&
    a.discount === b.discount &&
    a.qty === b.qty &&
    a.currency === b.currency &&
    a.attributes === b.attributes &&
    a.referralCode === b.referralCode &&
    a.subscriptPoints === b.subscriptPoints &&
    hasSameLines(a, b)
  )
}

function hasSameLines(a: Order, b: Order): boolean {
  return (
    a.lines.length === b.lines.length &&
    a.lines.every((line, index) => {
      const other = b.lines[index]!
      return (
        line.sku === other.sku &&
        line.amount === other.amount &&
        line.qty === other.qty &&
        line.attributes === other.attributes &&
        isSameRefund(line.refunded, other.refunded)
      )
    })
  )
}

function isSameRefund(a: Refund | undefined, b: Refund | undefined): boolean {
  return typeof a === 'object' && typeof b === 'object' ? a.qty === b.qty : a === b
}

/** A new state of an order hardly ever moves it further than this. */
const USED_AGAIN_MS = 180 * 86_400_000

/**
 * Whether an order is probably another one than the order recorded under its id, as where a till numbers its receipts anew each year: it is more than
 * 180 days away, and has another amount, discount or lines, whose sequence does not matter: that of an export may change. One that is cancelled or returned may lack any of them, or have 0.
 */
export function isIdUsedAgain(recorded: Order, order: Order): boolean {
  return (
    Math.abs(Date.parse(order.at) - Date.parse(recorded.at)) > USED_AGAIN_MS &&
    !(order.status === 'placed' ? hasSameContent(order, recorded) : lacksOnly(order, recorded))
  )
}

function hasSameContent(a: Order, b: Order): boolean {
  return a.total === b.total && a.discount === b.discount && linesInAnySequence(a) === linesInAnySequence(b)
}

function linesInAnySequence({ lines }: Order): string {
  return JSON.stringify(lines.map(({ sku, amount, qty }) => JSON.stringify([sku, String(amount), String(qty)])).sort())
}

function lacksOnly(order: Order, recorded: Order): boolean {
  const isLackOf = (amount: Amount | undefined, recordedAmount: Amount | undefined) =>
    amount === recordedAmount || amount === undefined || amount === 0n
  return (
    isLackOf(order.total, recorded.total) &&
    isLackOf(order.discount, recorded.discount) &&
    order.lines.every((line) =>
      recorded.lines.some(
        (other) => line.sku === other.sku && isLackOf(line.amount, other.amount) && isLackOf(line.qty, other.qty),
      ),
    )
  )
}

/** The digests of the first recording, for the revision that overwrites it and every later one. */
export function keepFirstDigests(recorded: RecordedOrder | undefined): Pick<RecordedOrder, 'first'> {
  if (recorded === undefined) return {}
  if (recorded.rev > 1n) return recorded.first === undefined ? {} : { first: recorded.first }
  const { player, prices: known, attributes } = recorded.facts
  const { order, prices } = digestsOf(recorded.order, player, known, attributes)
  return { first: { order, prices } }
}

/** What a new state changes about its order (decision 81). */
export function changeByRevision(recorded: Order | undefined, { status, at }: Order): RevisionChange {
  if (recorded === undefined || recorded.status !== status) return status
  return recorded.at === at ? 'changed' : 'moved'
}
