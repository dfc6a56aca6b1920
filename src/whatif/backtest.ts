/*
 * What recorded orders would have earned under another program, beside what they earned. Pure: players come in one after the other, each with
 * their orders in the order of their moments; what is kept of them are sums, and the few that changed most.
 */
import assert from 'node:assert/strict'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import { type Recorded, recompute, recomputeUnder, versionOf } from '../points/ledger/recompute.ts'
import { windowStart } from '../points/levels.ts'
import type { Player, RecordedOrder } from '../points/model.ts'
import type { LevelCounts, Program, PublishedProgram } from '../points/program-model.ts'
import { programAt } from '../points/programs.ts'
import { createTally, type OrderChange, orderChange, type Pair, type Tally } from './tally.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** What a backtest compares. `held` are all versions; `levelsAt` (RFC 3339) is the moment at which levels are looked at. */
export type BacktestPlan = Readonly<{ candidate: Program; held: readonly PublishedProgram[]; levelsAt: string }>

/** An order with what the ledger holds of it. */
export type LedgerOrder = Recorded & Pick<RecordedOrder, 'points' | 'referrer' | 'rev'>

/** What a player would have had more for referring somebody: `counted` is the part that counts for the level. */
export type CreditChange = Readonly<{ at: string; points: bigint; counted: bigint }>

/** A player as their orders are taken. `counting` are the ledger's entries that count; absent where nobody asks for them (`asksForEntries`). */
export type BacktestPlayer = Readonly<{
  userId: string
  firstOrderId: string | undefined
  /** What counts at `levelsAt` by the ledger, as the program that holds then counts it, and as the candidate does. */
  counted: Pair<bigint>
  counting?: Timeline
  /** In the order of their moments. */
  credits: readonly CreditChange[]
}>

const ORDERS_OF_PLAYER_MAX = 5

/** Whether the candidate counts levels otherwise than an order's own program, so that the ledger's entries have to be asked. */
export function asksForEntries({ candidate, held }: BacktestPlan): boolean {
  return held.some(({ program }) => !countsAlike(program.levels.counts, candidate.levels.counts))
}

/**
 * What a player's first order would have given its referrer more, and who that is: two players where it is another one. It does not
 * depend on what the candidate would have changed before. Errors: UnknownVersion.
 */
export function creditChanges(
  recorded: LedgerOrder,
  { candidate, held }: BacktestPlan,
): readonly (CreditChange & Readonly<{ userId: string }>)[] {
  const { order, facts, referrer: given } = recorded
  const computed = recomputeUnder({ version: facts.program, from: '-infinity', program: candidate }, recorded, order.id)
  const owed = computed.points > WHOLE_MAX ? undefined : computed.referrer
  const countedSoFar = versionOf(recorded, held).program.referral?.counts === true
  const at = order.at
  const taken =
    given === undefined
      ? []
      : [{ userId: given.userId, at, points: -given.points, counted: countedSoFar ? -given.points : 0n }]
  const gained =
    owed === undefined
      ? []
      : [{ userId: owed.userId, at, points: owed.points, counted: owed.counts ? owed.points : 0n }]
  const [one, other] = [...taken, ...gained]
  const all =
    one !== undefined && other?.userId === one.userId
      ? [{ ...one, points: one.points + other.points, counted: one.counted + other.counted }]
      : [...taken, ...gained]
  return all.filter(({ points, counted }) => points !== 0n || counted !== 0n)
}

/**
 * A backtest of which no player is taken yet. An order is computed with the facts of its first recording, changed only by what the candidate
 * would have changed of its player's earlier orders, so that the program that held comes to exactly what the ledger holds.
 *
 * Units   whole points; rules in exact ratios, each order rounded once by its program
 * Bounds  memory does not grow with players and orders, but with the orders of one player that change, where levels count by window
 * Errors  UnknownVersion
 * Source  docs/decisions/0107-backtests.md
 */
export function createBacktest(plan: BacktestPlan) {
  const { candidate, held, levelsAt } = plan
  const published: PublishedProgram = { version: 0, from: '-infinity', program: candidate }
  const { counts } = candidate.levels
  const { ladder } = heldAt(held, levelsAt).levels
  const tally = createTally({ before: ladder, after: candidate.levels.ladder })

  /** Whose orders come next. Answers how each is taken, and what to call after the last one. */
  function player({ userId, firstOrderId, counted, counting, credits }: BacktestPlayer) {
    const changes = openChanges(counts)
    const largest: OrderChange[] = []
    let [orders, ordersChanged, ofOrders, creditsTaken] = [0, 0, 0n, 0]
    let last: LedgerOrder | undefined

    function takeCredits(upTo?: string): void {
      for (; creditsTaken < credits.length; creditsTaken += 1) {
        const { at, points, counted } = credits[creditsTaken]!
        if (upTo !== undefined && at > upTo) return
        changes.add(at, points, counted)
      }
    }

    /** The player as the order would have met them. */
    function playerAt(recorded: LedgerOrder): Player {
      const { player } = recorded.facts
      const { at } = recorded.order
      const countsAsThen = countsAlike(versionOf(recorded, held).program.levels.counts, counts)
      const countedThen = countsAsThen
        ? player.levelPoints
        : counting!.sum(windowStart(counts, at), at) - recorded.points
      return { ...player, points: player.points + changes.points(), levelPoints: countedThen + changes.counted(at) }
    }

    return {
      take(recorded: LedgerOrder): void {
        const { order, facts } = recorded
        takeCredits(order.at)
        const before = recompute(recorded, firstOrderId, held)
        const computed = recomputeUnder(
          published,
          { order, facts: { ...facts, player: playerAt(recorded) } },
          firstOrderId,
        )
        const after = computed.points > WHOLE_MAX ? undefined : computed
        const points: Pair<bigint> = { before: recorded.points, after: after?.points ?? 0n }
        tally.addOrder(recorded, before, after)
        if (last !== undefined)
          tally.addInexact({
            // How many orders the player had says which came first.
            isOutOfOrder: facts.player.orders < last.facts.player.orders,
            isAfterChanged: last.rev > 1n,
          })
        last = recorded
        orders += 1
        const change = points.after - points.before
        if (change === 0n) return
        ordersChanged += 1
        ofOrders += change
        changes.add(order.at, change, change)
        if (isLargest(change, largest)) keepLargest(orderChange(order, points, before, after), largest)
      },

      end(): void {
        takeCredits()
        const referrals = credits.reduce((sum, { points }) => sum + points, 0n)
        tally.addPlayer(
          { userId, change: ofOrders + referrals, referrals, ordersChanged, orders: largest },
          orders > 0,
          { before: counted.before, after: counted.after + changes.counted(levelsAt) },
        )
      },
    }
  }

  return { player, tally: (): Tally => tally.sums }
}

export type Backtest = ReturnType<typeof createBacktest>

/** What changes of one player as their orders are taken. By window every change keeps its moment, else their sums are enough. */
function openChanges(counts: LevelCounts) {
  const inWindow = counts === 'lifetime' ? undefined : createTimeline()
  let [points, counted] = [0n, 0n]
  return {
    add: (at: string, more: bigint, moreCounted: bigint): void => {
      points += more
      counted += moreCounted
      if (moreCounted !== 0n) inWindow?.add(at, moreCounted)
    },
    points: () => points,
    counted: (at: string): bigint => (inWindow === undefined ? counted : inWindow.sum(windowStart(counts, at))),
  }
}

function isLargest(change: bigint, largest: readonly OrderChange[]): boolean {
  return largest.length < ORDERS_OF_PLAYER_MAX || magnitude(change) > magnitude(changeOf(largest.at(-1)!))
}

function keepLargest(order: OrderChange, largest: OrderChange[]): void {
  const size = magnitude(changeOf(order))
  const place = largest.findLastIndex((other) => magnitude(changeOf(other)) >= size) + 1
  largest.splice(place, 0, order)
  if (largest.length > ORDERS_OF_PLAYER_MAX) largest.pop()
}

const changeOf = ({ before, after }: Pair<bigint>): bigint => after - before
const magnitude = (points: bigint): bigint => (points < 0n ? -points : points)

function countsAlike(a: LevelCounts, b: LevelCounts): boolean {
  return a === 'lifetime' || b === 'lifetime' ? a === b : a.windowMonths === b.windowMonths
}

/** The program that holds at a moment. */
export function heldAt(held: readonly PublishedProgram[], moment: string): Program {
  const found = programAt(held, moment)
  assert(found !== undefined, 'an initialised database has a program that holds since the beginning of time')
  return found.program
}
