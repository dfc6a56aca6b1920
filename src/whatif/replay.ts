/*
 * Histories of a few orders, recorded in memory as the service records them.
 */
import { EMPTY_ACCOUNT } from '../points/ledger/account.ts'
import { adjust } from '../points/ledger/adjust.ts'
import type { OrderRefusal } from '../points/ledger/evaluate.ts'
import { addToOverlay, createOverlay, withOverlay } from '../points/ledger/overlay.ts'
import { recordOrders } from '../points/ledger/record.ts'
import type { Profile, Snapshot } from '../points/ledger/snapshot.ts'
import { localDay, UTC } from '../points/local-time.ts'
import { balanceOn, dayOfView, lateEndsOf, movementOf } from '../points/lots.ts'
import type { Catalogue, Entry, Prediction, SentOrder } from '../points/model.ts'
import type { Program, PublishedProgram } from '../points/program-model.ts'
import { countsDays } from '../points/programs.ts'
import type { Moment, Points, UserId } from '../points/units.ts'

/** A player as every history begins with them. `points` they have from elsewhere; `counts`: whether they count for their level. */
export type TestPlayer = Readonly<{
  userId: UserId
  profile: Profile
  referralCode: string
  points: Points
  counts: boolean
}>

/** What histories begin with. `startsAt` (RFC 3339, UTC) is the moment of the players' opening points and of orders that name none. */
export type World = Readonly<{ startsAt: Moment; catalogue: Catalogue; players: readonly TestPlayer[] }>

/** The result of one order; `balance` is its player's after it, `available` and `pending` what of it can be spent then, and what waits. */
export type ReplayStep = Readonly<{ order: SentOrder }> &
  (
    | Readonly<{ refused: OrderRefusal }>
    | Readonly<{ prediction: Prediction; balance: Points; available: Points; pending: Points }>
  )

/**
 * Returns a function that replays histories under a program, each from the same world. A step says what the service would predict just
 * before the order, and record. `arrivals` are
 * the moments at which the orders arrive, `startsAt` where there are none.
 */
export function replayFrom(
  program: Program,
  world: World,
): (orders: readonly SentOrder[], arrivals?: readonly Moment[]) => ReplayStep[] {
  const start = snapshotOf(world)
  const published: PublishedProgram = { version: 1, from: '-infinity', program }
  return (orders, arrivals = []) => {
    const overlay = createOverlay()
    const current = withOverlay(start, overlay)
    return orders.map((order, index) => {
      const now = arrivals[index] ?? world.startsAt
      const recording = recordOrders([order], current, [published], now)
      const verdict = recording.verdicts[0]!
      if ('refused' in verdict) return { order, refused: verdict.refused }
      addToOverlay(overlay, recording)
      const balance = current.accounts.get(order.userId)!.points
      const moment = verdict.at > now ? verdict.at : now
      const entries = current.entriesOf.get(order.userId) ?? []
      return { order, prediction: verdict.prediction, balance, ...spendableOf(balance, entries, published, moment) }
    })
  }
}

function spendableOf(
  balance: Points,
  entries: readonly Entry[],
  published: PublishedProgram,
  at: Moment,
): Readonly<{ available: Points; pending: Points }> {
  if (!countsDays([published])) return { available: balance, pending: 0n }
  const movements = entries.map(movementOf)
  return balanceOn(dayOfView(localDay(at, published.program.timeZone), movements), movements, lateEndsOf([published]))
}

/** The snapshot before the first order. It needs no sums and no histories, as it holds all entries. */
function snapshotOf({ players, catalogue, startsAt }: World): Snapshot {
  const accounts = new Map(players.map(({ userId }) => [userId, EMPTY_ACCOUNT]))
  const opening = players
    .filter(({ points }) => points !== 0n)
    .map(({ userId, points, counts }) => ({ id: 'start', userId, points, counts, reason: 'brought along' }))
  const start = adjust(opening, { accounts, made: new Map() }, { at: startsAt, day: localDay(startsAt, UTC) })
  const bearers = Map.groupBy(
    players.filter(({ referralCode }) => referralCode !== ''),
    ({ referralCode }) => referralCode,
  )
  return {
    profiles: new Map(players.map(({ userId, profile }) => [userId, profile])),
    accounts: new Map([...accounts, ...start.accounts]),
    orders: new Map(),
    catalogue,
    codes: new Map([...bearers].map(([code, bearing]) => [code, bearing.map(({ userId }) => userId)])),
    sums: new Map(),
    histories: { get: () => ({ movements: [], own: [], redemptions: [] }), has: () => true },
    entriesOf: Map.groupBy(start.entries, ({ userId }) => userId),
  }
}
