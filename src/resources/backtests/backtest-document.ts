/*
 * The result of a backtest as one document: `--json` prints it, the text and the page show it. Exact numbers are strings.
 */

import { parseRatio, product, type Ratio, ratio, ratioText, subtract, ZERO } from '../../engine/points/arithmetic.ts'
import { dayAfter } from '../../engine/points/calendar.ts'
import { localDay } from '../../engine/points/local-time.ts'
import { roundTo } from '../../engine/points/rounding.ts'
import { daysOfRules, weeksInto } from '../../engine/whatif/coming-rules.ts'
import type { BalanceSums, Pair, PlayerChange, Source, SourceChange } from '../../engine/whatif/tally.ts'
import type { BacktestOutcome } from './backtest-program.ts'
import type { BacktestDocument } from './backtest-result.ts'

const NO_POINTS = { before: ZERO, after: ZERO }

/** `pointValue` is the worth of a point as a decimal string. */
export function documentOf(outcome: BacktestOutcome, pointValue: string | undefined): BacktestDocument {
  const { tally, ladders, candidate, inEffect, from, to, levelsAt, comparesBalances, attributes, leftOut } = outcome
  const names = candidate.earn.map(({ name }) => name)
  const isOfCandidate = (source: Source) => tally.orders > 0 && source.kind === 'rule' && names.includes(source.name)
  const value = pointValue === undefined ? undefined : parseRatio(pointValue)
  const withCost = ({ before, after }: Pair<bigint>) =>
    value === undefined
      ? {}
      : { cost: pairOf({ before: product(ratio(before), value), after: product(ratio(after), value) }) }
  const levels = (side: 'before' | 'after') =>
    ladders[side].map(({ name, from }, place) => ({ name, from: String(from), players: tally.levels[side][place]! }))
  return {
    program: candidate.name,
    held: inEffect.name,
    from: from ?? null,
    to: to ?? null,
    levels_at: levelsAt,
    orders: tally.orders,
    players: tally.players,
    points: { ...wholePair(tally.points), per_cent: perCent(tally.points) },
    campaigns: campaignsOf(outcome),
    past_days: pastDaysOf(outcome),
    ...(pointValue === undefined ? {} : { point_value: pointValue }),
    ...withCost(tally.points),
    months: [...tally.months]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([month, { orders, ...points }]) => ({ month, orders, ...wholePair(points), ...withCost(points) })),
    // If there are orders, the candidate's rules also where they earned nothing.
    rules: rulesOf(new Map([...names.map((name) => [name, NO_POINTS] as const), ...tally.rules]), names)
      .map(([name, sums]): SourceChange => ({ source: { kind: 'rule', name }, ...sums }))
      .concat([
        { source: { kind: 'referral' }, ...tally.referral },
        { source: { kind: 'rounding' }, ...tally.rounding },
        { source: { kind: 'referrer' }, before: ratio(tally.referrer.before), after: ratio(tally.referrer.after) },
      ])
      .filter(({ source, before, after }) => before.num !== 0n || after.num !== 0n || isOfCandidate(source))
      .map(sourceOf),
    ...(comparesBalances ? { balances: balancesOf(tally.balances) } : {}),
    levels: { before: levels('before'), after: levels('after') },
    moves: [...tally.moves.values()]
      .sort((a, b) => b.players - a.players || (a.userIds[0]! < b.userIds[0]! ? -1 : 1))
      .map(({ userIds, ...move }) => ({ ...move, user_ids: userIds })),
    winners: tally.winners.map(playerOf),
    losers: tally.losers.map(playerOf),
    out_of_order: tally.outOfOrder,
    changed_later: tally.changedLater,
    erased: tally.erased,
    attributes,
    without_attributes: tally.withoutAttributes,
    refused: tally.refused,
    under_this_program: tally.underCandidate,
    unlike_ledger: tally.unlikeLedger,
    left_out: leftOut,
  }
}

/** The candidate's rules with a first or a last day, after they were moved; `orders` lie in their days and hours. */
function campaignsOf({ candidate, tally, coming, weeksEarlier }: BacktestOutcome) {
  return candidate.earn.flatMap(({ name, during: { from, until } = {} }) =>
    from === undefined && until === undefined
      ? []
      : [
          {
            rule: name,
            from: from ?? null,
            until: until ?? null,
            orders: tally.inDays.get(name) ?? 0,
            weeks_earlier: coming.has(name) ? weeksEarlier : 0,
          },
        ],
  )
}

/** Where rules are still to come: how many weeks earlier their days are the latest past ones that the orders cover. Null: nowhere, or they have been moved. */
function pastDaysOf({ candidate, tally: { firstAt, lastAt }, coming, weeksEarlier, now }: BacktestOutcome) {
  const days = daysOfRules(candidate, coming)
  if (days === undefined || firstAt === undefined || weeksEarlier > 0) return null
  const dayOf = (at: string) => localDay(at, candidate.timeZone)
  // Today is not over yet.
  const yesterday = dayAfter(dayOf(now), -1)
  const [from, last] = [dayOf(firstAt), dayOf(lastAt!)]
  const weeks = weeksInto({ from, until: last < yesterday ? last : yesterday }, days)
  if (weeks === undefined) return null
  return { weeks_earlier: weeks, from: dayAfter(days.from, -7 * weeks), until: dayAfter(days.until, -7 * weeks) }
}

/** `owed` is a positive number. */
function balancesOf({ before, after }: Pair<BalanceSums>) {
  const pair = (name: 'outstanding' | 'pending' | 'expired' | 'owed' | 'notCovered') =>
    wholePair({ before: before[name], after: after[name] })
  return {
    outstanding: pair('outstanding'),
    pending: pair('pending'),
    expired: pair('expired'),
    owed: pair('owed'),
    not_covered: pair('notCovered'),
    spends_not_covered: { before: before.spendsNotCovered, after: after.spendsNotCovered },
  }
}

function playerOf({ userId, change, referrals, ordersChanged, orders }: PlayerChange) {
  return {
    user_id: userId,
    difference: String(change),
    of_referrals: String(referrals),
    orders_changed: ordersChanged,
    orders: orders.map(({ orderId, at, sources, ...points }) => ({
      order_id: orderId,
      at,
      ...wholePair(points),
      rules: sources.map(sourceOf),
    })),
  }
}

/** A line for a source of points; `rule` is the name of the rule, or else the kind of source. */
function sourceOf({ source, before, after }: SourceChange) {
  return { kind: source.kind, rule: nameOf(source), ...pairOf({ before, after }) }
}

function nameOf(source: Source): string {
  return source.kind === 'rule' ? source.name : source.kind
}

/** The candidate's rules in its order, then the others by name. */
function rulesOf<T>(rules: ReadonlyMap<string, T>, candidate: readonly string[]): [string, T][] {
  const place = (name: string) => (candidate.includes(name) ? candidate.indexOf(name) : candidate.length)
  return [...rules].sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
}

function wholePair({ before, after }: Pair<bigint>) {
  return { before: String(before), after: String(after), difference: String(after - before) }
}

function pairOf({ before, after }: Pair<Ratio>) {
  return { before: ratioText(before), after: ratioText(after), difference: ratioText(subtract(after, before)) }
}

/** Rounded half up to one decimal; null if there was nothing before. */
function perCent({ before, after }: Pair<bigint>): string | null {
  if (before === 0n) return null
  return ratioText(ratio(roundTo({ num: (after - before) * 1_000n, den: before }, 'half-up'), 10n))
}
