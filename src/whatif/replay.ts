/*
 * Small histories: orders that are recorded one after the other as the service records them, in memory, from a world that was made up.
 */

import { EMPTY_ACCOUNT } from '../points/ledger/account.ts'
import { adjust } from '../points/ledger/adjust.ts'
import type { OrderRefusal } from '../points/ledger/evaluate.ts'
import { addToOverlay, createOverlay, withOverlay } from '../points/ledger/overlay.ts'
import { recordOrders } from '../points/ledger/record.ts'
import type { Profile, Snapshot } from '../points/ledger/snapshot.ts'
import type { Catalogue, Prediction, SentOrder } from '../points/model.ts'
import type { Program, PublishedProgram } from '../points/program-model.ts'

/** A player as every history begins with them. `points` they have from elsewhere; `counts`: whether they count for their level. */
export type TestPlayer = Readonly<{
  userId: string
  profile: Profile
  referralCode: string
  points: bigint
  counts: boolean
}>

/** What histories begin with. `startsAt` (RFC 3339, UTC) is the moment of the players' first points and of orders that name none. */
export type World = Readonly<{ startsAt: string; catalogue: Catalogue; players: readonly TestPlayer[] }>

/** What became of an order; `balance` is its player's after it. */
export type ReplayStep = Readonly<{ order: SentOrder }> &
  (Readonly<{ refused: OrderRefusal }> | Readonly<{ prediction: Prediction; balance: bigint }>)

/**
 * Makes what plays histories under a program, each from the same beginning. What a step says is what the service would say just before
 * the order, and record. Exact; nothing is rounded but by the program.
 */
export function replayFrom(program: Program, world: World): (orders: readonly SentOrder[]) => ReplayStep[] {
  const start = openingOf(world)
  const published: PublishedProgram = { version: 1, from: '-infinity', program }
  return (orders) => {
    const since = createOverlay()
    const known = withOverlay(start, since)
    return orders.map((order) => {
      const recording = recordOrders([order], known, [published], world.startsAt)
      const verdict = recording.verdicts[0]!
      if ('refused' in verdict) return { order, refused: verdict.refused }
      addToOverlay(since, recording)
      return { order, prediction: verdict.prediction, balance: known.accounts.get(order.userId)!.points }
    })
  }
}

/** What is known before the first order. No window sum is stored: all entries of a history are at hand. */
function openingOf({ players, catalogue, startsAt }: World): Snapshot {
  const accounts = new Map(players.map(({ userId }) => [userId, EMPTY_ACCOUNT]))
  const brought = players
    .filter(({ points }) => points !== 0n)
    .map(({ userId, points, counts }) => ({ id: 'start', userId, points, counts, reason: 'brought along' }))
  const start = adjust(brought, { accounts, made: new Map() }, startsAt)
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
    entriesOf: Map.groupBy(start.entries, ({ userId }) => userId),
  }
}
