/*
 * What recorded orders would have earned under another program, compared with what they earned. Pure. Players are processed one after the
 * other, each with their orders by moment; only sums and the largest changes are kept.
 */
import assert from 'node:assert/strict'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import { takesCurrency } from '../points/currency.ts'
import { type Recorded, recompute, recomputeUnder, requireProgramVersion } from '../points/ledger/recompute.ts'
import { windowStart } from '../points/levels.ts'
import type { Movement } from '../points/lots/movement.ts'
import type { Player, Prediction, RecordedOrder } from '../points/model.ts'
import type { LevelCounts, Program, PublishedProgram } from '../points/program-model.ts'
import { programAt } from '../points/programs.ts'
import { whyOutsideSchedule } from '../points/rule-schedule.ts'
import { createTimeline, type Timeline } from '../points/timeline.ts'
import type { AttributeSet, Instant, Points, UserId } from '../points/units.ts'
import { type AttributeSource, withAttributesNow } from './attributes-now.ts'
import { type BalancePlan, balancesOf, earnedUnder, type LedgerMovement, needsBalances } from './backtest-balances.ts'
import { createTally, type OrderChange, orderChange, type Pair, type Tally } from './tally.ts'

/**
 * What a backtest compares. `published` lists all versions, `sameVersions` the numbers of those with the candidate's text. Levels and balances are
 * compared at `levelsAt`, orders from `from` on (RFC 3339).
 */
export type BacktestPlan = BalancePlan &
  Readonly<{
    sameVersions: ReadonlySet<number>
    /** What the candidate's rules see of an order and its player. */
    seen: (recorded: LedgerOrder) => LedgerOrder
    /** What they see of products. */
    attributes: AttributeSource
  }>

/** An order with what the ledger records of it, and the attributes that its products have now; absent where `needsAttributesNow` is false. */
export type LedgerOrder = Recorded &
  Pick<RecordedOrder, 'points' | 'referrer' | 'rev'> &
  Readonly<{ attributesNow?: ReadonlyMap<string, AttributeSet> }>

/**
 * How many more points a player would have got for a referral; `levelPoints` is the part that counts for the level. `earned` is all that they would
 * have got; absent where that is nothing, or where no balances are compared.
 */
export type CreditChange = Readonly<{ at: Instant; points: Points; levelPoints: Points; earned?: Movement }>

/** A player before their first order is processed. */
export type BacktestPlayer = Readonly<{
  userId: UserId
  firstOrderId: string | undefined
  /** According to the ledger at `levelsAt`, counted as the program in effect then does, and as the candidate does. */
  levelPoints: Pair<bigint>
  /** The ledger's entries that count for the level; absent where `needsLevelEntries` is false. */
  levelEntries?: Timeline
  /** In ascending order of their moments. */
  credits: readonly CreditChange[]
  /** All of the player's movements in the ledger; absent where `needsBalances` is false. */
  movements?: readonly LedgerMovement[]
}>

const ORDERS_OF_PLAYER_MAX = 5

/** Whether the candidate counts levels differently from at least one published version, so that the ledger's entries are needed. */
export function needsLevelEntries({ candidate, published }: BacktestPlan): boolean {
  return published.some(({ program }) => !countsAlike(program.levels.counts, candidate.levels.counts))
}

/** Whether the candidate declares attributes of products, so that orders may lack what products have now. */
export function needsAttributesNow({ candidate }: BacktestPlan): boolean {
  return (candidate.attributes?.product.size ?? 0) > 0
}

/**
 * How many more points a player's first order would have given the referrer: two changes where the referrer would be a different player. This
 * does not depend on anything that the candidate would have changed before. Errors: UnknownVersion.
 */
export function creditChanges(
  recorded: LedgerOrder,
  plan: BacktestPlan,
): readonly (CreditChange & Readonly<{ userId: UserId }>)[] {
  const { candidate, published } = plan
  const { order, facts, referrer: credit } = recorded
  const { at } = order
  // What it gave stays, with the candidate's days.
  if (facts.erased)
    return credit === undefined || !needsBalances(plan)
      ? []
      : [
          {
            userId: credit.userId,
            at,
            points: 0n,
            levelPoints: 0n,
            earned: earnedUnder(candidate, order, credit.points),
          },
        ]
  const seen = plan.seen(recorded)
  const known = withAttributes(plan, seen, attributesFilled(plan, seen))
  const computed = recomputeUnder(unpublished(candidate), known, order.id)
  const owed = computed.points > WHOLE_MAX ? undefined : computed.referrer
  const gaveLevelPoints = requireProgramVersion(recorded, published).program.referral?.counts === true
  const reversal = credit && {
    userId: credit.userId,
    at,
    points: -credit.points,
    levelPoints: gaveLevelPoints ? -credit.points : 0n,
  }
  const gained = owed && {
    userId: owed.userId,
    at,
    points: owed.points,
    levelPoints: owed.counts ? owed.points : 0n,
    ...(needsBalances(plan) ? { earned: earnedUnder(candidate, order, owed.points) } : {}),
  }
  const all =
    reversal !== undefined && gained?.userId === reversal.userId
      ? [{ ...gained, points: reversal.points + gained.points, levelPoints: reversal.levelPoints + gained.levelPoints }]
      : [reversal, gained].filter((change) => change !== undefined)
  return all.filter((change) => change.points !== 0n || change.levelPoints !== 0n || 'earned' in change)
}

/**
 * A backtest that has not processed any player yet. An order is computed with the facts of its first recording, adjusted only by what the
 * candidate would have changed in the player's earlier orders, so that the original program reproduces exactly what the ledger holds.
 *
 * Units   whole points; rules in exact ratios, each order rounded once by its program
 * Bounds  memory does not grow with players or orders, only with the changed orders of a single player if the candidate counts levels by window
 * Errors  UnknownVersion
 * Source  docs/decisions/0107-backtests.md
 */
export function createBacktest(plan: BacktestPlan) {
  const ladders = {
    before: programInEffectAt(plan.published, plan.levelsAt).levels.ladder,
    after: plan.candidate.levels.ladder,
  }
  const tally = createTally(ladders)
  return {
    /** Starts the next player. Pass their orders to `take` by moment, then call `end`. */
    player: (player: BacktestPlayer) => backtestPlayer(plan, tally, player),
    tally: (): Tally => tally.sums,
  }
}

function backtestPlayer(plan: BacktestPlan, tally: ReturnType<typeof createTally>, player: BacktestPlayer) {
  const { candidate, published, levelsAt } = plan
  const { userId, firstOrderId, levelPoints, credits, movements } = player
  const changes = createChanges(candidate.levels.counts)
  const largest: OrderChange[] = []
  const earned = credits.flatMap((credit) => credit.earned ?? [])
  let [orders, ordersChanged, change, creditsApplied] = [0, 0, 0n, 0]
  let last: LedgerOrder | undefined

  function takeCredits(upTo?: string): void {
    for (; creditsApplied < credits.length; creditsApplied += 1) {
      const credit = credits[creditsApplied]!
      if (upTo !== undefined && credit.at > upTo) return
      changes.add(credit.at, credit.points, credit.levelPoints)
    }
  }

  return {
    take(recorded: LedgerOrder): void {
      const { order, points } = recorded
      // Its points stay what they are, among those of the account.
      if (recorded.facts.erased) {
        tally.addErased()
        if (movements !== undefined) earned.push(earnedUnder(candidate, order, points))
        return
      }
      takeCredits(order.at)
      const before = recompute(recorded, firstOrderId, published)
      const seen = plan.seen(recorded)
      const filled = attributesFilled(plan, seen)
      const after = computeUnderCandidate(plan, withAttributes(plan, seen, filled), player, changes)
      tally.addOrder(recorded, before, after, plan.sameVersions.has(recorded.facts.program))
      if (filled !== undefined) tally.addWithoutAttributes()
      tally.addOrderTime(order.at, rulesOnDaysOf(candidate, order.at))
      if (last !== undefined) tally.addInexact(detectApproximation(last, recorded))
      last = recorded
      orders += 1
      if (movements !== undefined && after !== undefined) earned.push(earnedUnder(candidate, order, after.points))
      const pair = { before: points, after: after?.points ?? 0n }
      const more = pair.after - points
      if (more === 0n) return
      ordersChanged += 1
      change += more
      changes.add(order.at, more, more)
      if (isLargest(more, largest)) keepLargest(orderChange(order, pair, before, after), largest)
    },

    end(): void {
      takeCredits()
      if (movements !== undefined) tally.addBalances(balancesOf(plan, movements, earned))
      const referrals = credits.reduce((sum, { points }) => sum + points, 0n)
      tally.addPlayer({ userId, change: change + referrals, referrals, ordersChanged, orders: largest }, orders > 0, {
        before: levelPoints.before,
        after: levelPoints.after + changes.levelPoints(levelsAt),
      })
    },
  }
}

/** The rules with a first or a last day in whose days and hours the moment lies. */
function rulesOnDaysOf({ earn, timeZone }: Program, at: Instant): string[] {
  return earn.flatMap(({ name, during }) => {
    const isDated = during?.from !== undefined || during?.until !== undefined
    return isDated && whyOutsideSchedule(during, at, timeZone) === undefined ? [name] : []
  })
}

/** What the order would have earned, with its player as they would have been by then; undefined where the candidate refuses it. */
function computeUnderCandidate(
  { candidate, published }: BacktestPlan,
  recorded: LedgerOrder,
  { firstOrderId, levelEntries }: BacktestPlayer,
  changes: ReturnType<typeof createChanges>,
): Prediction | undefined {
  const { order, facts, points } = recorded
  if (!takesCurrency(order.currency, candidate.money)) return undefined
  const { counts } = candidate.levels
  const countedThen = countsAlike(requireProgramVersion(recorded, published).program.levels.counts, counts)
    ? facts.player.levelPoints
    : levelEntries!.sum(windowStart(counts, order.at), order.at) - points
  const player: Player = {
    ...facts.player,
    points: facts.player.points! + changes.points(),
    levelPoints: countedThen + changes.levelPoints(order.at),
  }
  const computed = recomputeUnder(unpublished(candidate), { order, facts: { ...facts, player } }, firstOrderId)
  return computed.points > WHOLE_MAX ? undefined : computed
}

/** The attributes of products with those of now that the order lacks; undefined where it lacks none. */
function attributesFilled({ candidate }: BacktestPlan, { order, facts, attributesNow }: LedgerOrder) {
  return attributesNow && withAttributesNow(order, facts, attributesNow, candidate)
}

/** The order with the attributes of products that the candidate sees. `filled` are those with those of now. */
function withAttributes(
  { attributes }: BacktestPlan,
  recorded: LedgerOrder,
  filled: ReturnType<typeof attributesFilled>,
): LedgerOrder {
  if (filled === undefined || attributes === 'recorded') return recorded
  return { ...recorded, facts: { ...recorded.facts, attributes: filled } }
}

/** What the candidate has changed for a player so far. Changes are kept by moment if levels count by window; otherwise the sums suffice. */
function createChanges(counts: LevelCounts) {
  const inWindow = counts === 'lifetime' ? undefined : createTimeline()
  let [points, levelPoints] = [0n, 0n]
  return {
    add: (at: Instant, more: bigint, moreLevelPoints: bigint): void => {
      points += more
      levelPoints += moreLevelPoints
      if (moreLevelPoints !== 0n) inWindow?.add(at, moreLevelPoints)
    },
    points: () => points,
    levelPoints: (at: Instant): bigint =>
      inWindow === undefined ? levelPoints : inWindow.sum(windowStart(counts, at), at),
  }
}

function detectApproximation(last: LedgerOrder, next: LedgerOrder) {
  return {
    // The number of orders the player had shows which of the two was recorded first.
    isOutOfOrder: next.facts.player.orders < last.facts.player.orders,
    isAfterChanged: last.rev > 1n,
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
const magnitude = (points: Points): bigint => (points < 0n ? -points : points)

function countsAlike(a: LevelCounts, b: LevelCounts): boolean {
  return a === 'lifetime' || b === 'lifetime' ? a === b : a.windowMonths === b.windowMonths
}

/** An unpublished program, as if it had always been in effect. */
function unpublished(program: Program): PublishedProgram {
  return { version: 0, from: '-infinity', program }
}

/** The program in effect at a moment. */
export function programInEffectAt(published: readonly PublishedProgram[], at: string): Program {
  const inEffect = programAt(published, at)
  assert(inEffect !== undefined, 'an initialised database has a program in effect since the beginning of time')
  return inEffect.program
}
