/*
 * Short histories of orders and redemptions, recorded in memory exactly as the service records them.
 */
import { dayAfterPeriod, type Period } from '../points/calendar.ts'
import { EMPTY_ACCOUNT } from '../points/ledger/account.ts'
import { adjust } from '../points/ledger/adjust.ts'
import type { OrderRefusal } from '../points/ledger/evaluate-order.ts'
import { redeem } from '../points/ledger/hold-or-redeem.ts'
import { heldMovements, sumSpent } from '../points/ledger/holds.ts'
import {
  addPendingChange,
  createPendingLedger,
  type PendingLedger,
  withPending,
} from '../points/ledger/pending-ledger.ts'
import { recordOrders } from '../points/ledger/record.ts'
import type { CommandRefusal, RedeemCommand } from '../points/ledger/redemptions.ts'
import { EMPTY_HISTORY, type Profile, type Snapshot, toBalanceQuery } from '../points/ledger/snapshot.ts'
import { localDay, UTC } from '../points/local-time.ts'
import { balanceAsOf } from '../points/lots/balance.ts'
import type { Catalogue, Prediction, Redemption, Referrer, SentOrder } from '../points/model.ts'
import { expiryAssignmentsOf } from '../points/pending-and-expiry.ts'
import type { Program, PublishedProgram } from '../points/program-model.ts'
import { countsDays, postingDateAt } from '../points/programs.ts'
import type { AttributeSet, Instant, Points, Sku, UserId } from '../points/units.ts'

/** A player at the start of every history. `points` is an opening balance; `counts`: whether it counts for their level. */
export type TestPlayer = Readonly<{
  userId: UserId
  profile: Profile
  referralCode: string
  points: Points
  counts: boolean
}>

/**
 * The start of every history. `startsAt` (RFC 3339, UTC) is the moment of the players' opening balances, and of orders that name none. `attributes` are
 * those of products.
 */
export type World = Readonly<{
  startsAt: Instant
  catalogue: Catalogue
  attributes?: ReadonlyMap<Sku, AttributeSet>
  players: readonly TestPlayer[]
}>

/** Time that passes: days or months by the calendar, minutes by the clock. */
export type Duration = Period | Readonly<{ minutes: number }>

/** A state of an order, or a redemption without an order. It arrives `wait` after the step before it, or at the same moment. */
export type HistoryStep = OrderStep | RedeemStep
export type OrderStep = Readonly<{ order: SentOrder; wait?: Duration }>
export type RedeemStep = Readonly<{ userId: UserId; redeem: RedeemCommand; wait?: Duration }>

/** A player's points after a step: the sum of all entries, what is available including held points, what is pending, and what is held. */
export type BalanceSummary = Readonly<{ balance: Points; available: Points; pending: Points; held: Points }>

/** The result of a step, and its player's points after it. A refused step changes nothing. */
export type ReplayStep = BalanceSummary & (ReplayedOrder | ReplayedRedemption)
type ReplayedOrder = OrderStep & (Readonly<{ refused: OrderRefusal }> | Readonly<{ prediction: Prediction }>)
type ReplayedRedemption = RedeemStep & (Readonly<{ refused: CommandRefusal }> | Readonly<{ redemption: Redemption }>)

/**
 * Returns a function that replays histories under a program, each from the same world and after the same steps, which are replayed only once.
 * The result of a step is what the service would predict just before the order, and then record.
 */
export function replayFrom(
  program: Program,
  world: World,
  before: readonly HistoryStep[] = [],
): (steps: readonly HistoryStep[]) => ReplayStep[] {
  const published: PublishedProgram = { version: 1, from: '-infinity', program }
  const replayOn = (start: Snapshot, startsAt: Instant, steps: readonly HistoryStep[]) => {
    const pending = createPendingLedger()
    const ledger: Ledger = { published, pending, snapshot: withPending(start, pending) }
    let now = startsAt
    const replayed = steps.map((step) => {
      if (step.wait !== undefined) now = instantAfterWait(now, step.wait)
      return 'order' in step ? replayOrder(step, ledger, now) : replayRedemption(step, ledger, now)
    })
    return { replayed, now, snapshot: ledger.snapshot }
  }
  const { now, snapshot } = replayOn(snapshotOf(world), world.startsAt, before)
  return (steps) => replayOn(snapshot, now, steps).replayed
}

/** The orders as steps, with no time between them. */
export function orderSteps(orders: readonly SentOrder[]): OrderStep[] {
  return orders.map((order) => ({ order }))
}

/** `snapshot` includes what has been recorded so far, which is added to `pending`. */
type Ledger = Readonly<{ published: PublishedProgram; pending: PendingLedger; snapshot: Snapshot }>

function replayOrder(step: OrderStep, ledger: Ledger, now: Instant): ReplayStep {
  const { userId } = step.order
  const recording = recordOrders([step.order], ledger.snapshot, [ledger.published], now)
  const verdict = recording.verdicts[0]!
  if ('refused' in verdict) return { ...step, refused: verdict.refused, ...summarizeBalance(userId, ledger, now) }
  addPendingChange(ledger.pending, recording)
  const { prediction, at } = verdict
  return { ...step, prediction, ...summarizeBalance(userId, ledger, now, at > now ? at : now) }
}

function replayRedemption(step: RedeemStep, ledger: Ledger, now: Instant): ReplayStep {
  const { userId } = step
  const { published, snapshot } = ledger
  const verdict = redeem(step.redeem, {
    ...{ userId, published, now, by: '' },
    account: snapshot.accounts.get(userId) ?? EMPTY_ACCOUNT,
    history: snapshot.history({ userId, orderId: '', redemptionId: step.redeem.id })!,
    programs: [published],
    expiryAssignments: expiryAssignmentsOf([published]),
    today: postingDateAt([published], now),
  })
  if ('refused' in verdict) return { ...step, refused: verdict.refused, ...summarizeBalance(userId, ledger, now) }
  addPendingChange(ledger.pending, verdict.change)
  return { ...step, redemption: verdict.redemption, ...summarizeBalance(userId, ledger, now) }
}

/** `at` is the moment of the balance: later than `now` only for an order that lies ahead. */
function summarizeBalance(userId: UserId, ledger: Ledger, now: Instant, at: Instant = now): BalanceSummary {
  const { published, snapshot } = ledger
  const balance = snapshot.accounts.get(userId)?.points ?? 0n
  if (!countsDays([published])) return { balance, available: balance, pending: 0n, held: 0n }
  const { movements, redemptions } = snapshot.history(toBalanceQuery(userId))!
  const holds = heldMovements(redemptions, now)
  const held = sumSpent(holds)
  const today = localDay(at, published.program.timeZone)
  const { available, pending } = balanceAsOf(today, [...movements, ...holds], expiryAssignmentsOf([published]))
  return { balance, available: available + held, pending, held }
}

function instantAfterWait(now: Instant, wait: Duration): Instant {
  if ('minutes' in wait) return new Date(Date.parse(now) + wait.minutes * 60_000).toISOString()
  return `${dayAfterPeriod(now.slice(0, 10), wait)}${now.slice(10)}`
}

function toReferrer({ userId, profile }: TestPlayer): Referrer {
  return { referrerId: userId, ...(profile.participates === false ? { participates: false } : {}) }
}

/** The snapshot before the first order: nothing but the opening balances. */
function snapshotOf({ players, catalogue, attributes, startsAt }: World): Snapshot {
  const opening = players
    .filter(({ points }) => points !== 0n)
    .map(({ userId, points, counts }) => ({ id: 'start', userId, points, counts, reason: 'brought along' }))
  const playersByCode = Map.groupBy(
    players.filter(({ referralCode }) => referralCode !== ''),
    ({ referralCode }) => referralCode,
  )
  const empty: Snapshot = {
    profiles: new Map(players.map(({ userId, profile }) => [userId, profile])),
    accounts: new Map(players.map(({ userId }) => [userId, EMPTY_ACCOUNT])),
    orders: new Map(),
    catalogue,
    ...(attributes === undefined ? {} : { attributes }),
    codes: new Map([...playersByCode].map(([code, sharing]) => [code, sharing.map(toReferrer)])),
    levelPointsIn: () => 0n,
    history: () => EMPTY_HISTORY,
  }
  const start = createPendingLedger()
  const booking = { at: startsAt, day: localDay(startsAt, UTC) }
  const { accounts, entries } = adjust(opening, { accounts: empty.accounts, made: new Map() }, booking)
  addPendingChange(start, { accounts, entries, orders: new Map() })
  return withPending(empty, start)
}
