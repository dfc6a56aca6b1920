/*
 * Short histories of orders and redemptions, recorded in memory exactly as the service records them.
 */
import { dayAfterPeriod, type Period } from '../points/calendar.ts'
import { EMPTY_ACCOUNT } from '../points/ledger/account.ts'
import { adjust } from '../points/ledger/adjust.ts'
import { sumReinstated } from '../points/ledger/entry-sums.ts'
import type { OrderRefusal } from '../points/ledger/evaluate-order.ts'
import { redeem } from '../points/ledger/hold-or-redeem.ts'
import { heldMovements, sumSpent } from '../points/ledger/holds.ts'
import { addToOverlay, copyOverlay, createOverlay, type Overlay, withOverlay } from '../points/ledger/overlay.ts'
import { recordOrders } from '../points/ledger/record.ts'
import type { CommandRefusal, RedeemCommand } from '../points/ledger/redemptions.ts'
import type { PlayerHistory, Profile, Snapshot } from '../points/ledger/snapshot.ts'
import { localDay, UTC } from '../points/local-time.ts'
import { balanceAsOf } from '../points/lots/balance.ts'
import { movementOf } from '../points/lots/movement.ts'
import type { Catalogue, Prediction, Redemption, SentOrder } from '../points/model.ts'
import { expiryAssignmentsOf } from '../points/pending-and-expiry.ts'
import type { Program, PublishedProgram } from '../points/program-model.ts'
import { bookedDayAt, countsDays } from '../points/programs.ts'
import type { Moment, Points, UserId } from '../points/units.ts'

/** A player at the start of every history. `points` is an opening balance; `counts`: whether it counts for their level. */
export type TestPlayer = Readonly<{
  userId: UserId
  profile: Profile
  referralCode: string
  points: Points
  counts: boolean
}>

/** The start of every history. `startsAt` (RFC 3339, UTC) is the moment of the players' opening balances, and of orders that name none. */
export type World = Readonly<{ startsAt: Moment; catalogue: Catalogue; players: readonly TestPlayer[] }>

/** Time that passes: days or months by the calendar, minutes by the clock. */
export type Wait = Period | Readonly<{ minutes: number }>

/** A state of an order, or a redemption without an order. It arrives `wait` after the step before it, or at the same moment. */
export type HistoryStep = OrderStep | RedeemStep
export type OrderStep = Readonly<{ order: SentOrder; wait?: Wait }>
export type RedeemStep = Readonly<{ userId: UserId; redeem: RedeemCommand; wait?: Wait }>

/** A player's points after a step: the sum of all entries, what is available including held points, what is pending, and what is held. */
export type Standing = Readonly<{ balance: Points; available: Points; pending: Points; held: Points }>

/** The result of a step, and its player's points after it. A refused step changes nothing. */
export type ReplayStep = Standing & (ReplayedOrder | ReplayedRedemption)
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
  const stored = snapshotOf(world)
  const published: PublishedProgram = { version: 1, from: '-infinity', program }
  const replayOn = (overlay: Overlay, start: Moment, steps: readonly HistoryStep[]) => {
    const ledger: Ledger = { published, overlay, snapshot: withRedemptions(withOverlay(stored, overlay), overlay) }
    let now = start
    const replayed = steps.map((step) => {
      if (step.wait !== undefined) now = momentAfterWait(now, step.wait)
      return 'order' in step ? replayOrder(step, ledger, now) : replayRedemption(step, ledger, now)
    })
    return { replayed, now }
  }
  const overlay = createOverlay()
  const { now } = replayOn(overlay, world.startsAt, before)
  return (steps) => replayOn(copyOverlay(overlay), now, steps).replayed
}

/** The orders as steps, with no time between them. */
export function orderSteps(orders: readonly SentOrder[]): OrderStep[] {
  return orders.map((order) => ({ order }))
}

/** `snapshot` is a live view that includes what has been recorded so far. */
type Ledger = Readonly<{ published: PublishedProgram; overlay: Overlay; snapshot: Snapshot }>

function replayOrder(step: OrderStep, ledger: Ledger, now: Moment): ReplayStep {
  const { userId } = step.order
  const recording = recordOrders([step.order], ledger.snapshot, [ledger.published], now)
  const verdict = recording.verdicts[0]!
  if ('refused' in verdict) return { ...step, refused: verdict.refused, ...standingOf(userId, ledger, now) }
  addToOverlay(ledger.overlay, recording)
  const { prediction, at } = verdict
  return { ...step, prediction, ...standingOf(userId, ledger, now, at > now ? at : now) }
}

function replayRedemption(step: RedeemStep, ledger: Ledger, now: Moment): ReplayStep {
  const { userId } = step
  const { published, snapshot } = ledger
  const verdict = redeem(step.redeem, {
    ...{ userId, published, now, by: '' },
    account: snapshot.accounts.get(userId) ?? EMPTY_ACCOUNT,
    history: historyOf(userId, ledger),
    programs: [published],
    expiryAssignments: expiryAssignmentsOf([published]),
    today: bookedDayAt([published], now),
  })
  if ('refused' in verdict) return { ...step, refused: verdict.refused, ...standingOf(userId, ledger, now) }
  addToOverlay(ledger.overlay, verdict.change)
  return { ...step, redemption: verdict.redemption, ...standingOf(userId, ledger, now) }
}

/** `at` is the moment of the balance: later than `now` only for an order that lies ahead. */
function standingOf(userId: UserId, ledger: Ledger, now: Moment, at: Moment = now): Standing {
  const { published, snapshot, overlay } = ledger
  const balance = snapshot.accounts.get(userId)?.points ?? 0n
  const holds = heldMovements(redemptionsOf(userId, overlay), now)
  const held = sumSpent(holds)
  if (!countsDays([published])) return { balance, available: balance, pending: 0n, held }
  const known = [...historyOf(userId, ledger).movements, ...holds]
  const today = localDay(at, published.program.timeZone)
  const { available, pending } = balanceAsOf(today, known, expiryAssignmentsOf([published]))
  return { balance, available: available + held, pending, held }
}

function historyOf(userId: UserId, { overlay, snapshot }: Ledger): PlayerHistory {
  const entries = snapshot.entriesOf.get(userId) ?? []
  return {
    movements: entries.map(movementOf),
    reinstated: sumReinstated(entries),
    own: [],
    redemptions: redemptionsOf(userId, overlay),
  }
}

function redemptionsOf(userId: UserId, { redemptions }: Overlay): Redemption[] {
  return [...redemptions.values()].filter((one) => one.userId === userId)
}

/** A snapshot that also knows redemptions. Its `entriesOf` has all entries, so stored histories need no movements. */
function withRedemptions(snapshot: Snapshot, overlay: Overlay): Snapshot {
  const get = (key: string): PlayerHistory => {
    const [userId] = JSON.parse(key) as [UserId]
    return { movements: [], reinstated: 0n, own: [], redemptions: redemptionsOf(userId, overlay) }
  }
  return { ...snapshot, histories: { get, has: () => true } }
}

function momentAfterWait(now: Moment, wait: Wait): Moment {
  if ('minutes' in wait) return new Date(Date.parse(now) + wait.minutes * 60_000).toISOString()
  return `${dayAfterPeriod(now.slice(0, 10), wait)}${now.slice(10)}`
}

/** The snapshot before the first order. As `entriesOf` has all entries, it needs no sums. */
function snapshotOf({ players, catalogue, startsAt }: World): Snapshot {
  const accounts = new Map(players.map(({ userId }) => [userId, EMPTY_ACCOUNT]))
  const opening = players
    .filter(({ points }) => points !== 0n)
    .map(({ userId, points, counts }) => ({ id: 'start', userId, points, counts, reason: 'brought along' }))
  const start = adjust(opening, { accounts, made: new Map() }, { at: startsAt, day: localDay(startsAt, UTC) })
  const playersByCode = Map.groupBy(
    players.filter(({ referralCode }) => referralCode !== ''),
    ({ referralCode }) => referralCode,
  )
  return {
    profiles: new Map(players.map(({ userId, profile }) => [userId, profile])),
    accounts: new Map([...accounts, ...start.accounts]),
    orders: new Map(),
    catalogue,
    codes: new Map([...playersByCode].map(([code, sharing]) => [code, sharing.map(({ userId }) => userId)])),
    sums: new Map(),
    histories: new Map(),
    entriesOf: Map.groupBy(start.entries, ({ userId }) => userId),
  }
}
