/*
 * Formats the figures of a backtest for people, for the terminal and the page alike.
 */
import { ratio, ratioText } from '../../engine/points/arithmetic.ts'
import { roundTo } from '../../engine/points/rounding.ts'
import { count, escapeControls } from '../../text.ts'
import type { BacktestDocument } from './backtest-result.ts'

/** Names of sources that are not rules. */
const NAMES: Readonly<Record<string, string>> = {
  referral: 'referral, to the friend',
  referrer: 'referral, to the referrer',
  rounding: 'rounding',
}

type Sums = Readonly<{ before: string; after: string; difference: string }>

/** The cells of a pair: before, after, and the signed difference. */
export function pairOf({ before, after, difference }: Sums): string[] {
  return [numberText(before), numberText(after), signed(difference)]
}

/** The signed difference, also in per cent if there was something before. */
export function changeOf({ difference, per_cent: perCent }: BacktestDocument['points']): string {
  return `${signed(difference)}${perCent === null ? '' : ` (${signed(perCent)} %)`}`
}

/** Which orders were computed: `from 2026-01-01T00:00:00.000Z, before ...`. */
export function timeRangeText({ from, to }: Pick<BacktestDocument, 'from' | 'to'>): string {
  if (from === null && to === null) return 'all orders'
  return [from === null ? '' : `from ${from}`, to === null ? '' : `before ${to}`]
    .filter((part) => part !== '')
    .join(', ')
}

/** The days of a rule, both included: `2026-11-27 to 2026-11-29`, or those from or up to a day. */
export function daysText({ from, until }: Readonly<{ from: string | null; until: string | null }>): string {
  if (until === null) return `from ${from} on`
  return from === null ? `up to ${until}` : `${from} to ${until}`
}

/** The name of a source of points: that of the rule, or a readable name for other sources. */
export function sourceName({ kind, rule }: Readonly<{ kind: string; rule: string }>): string {
  return kind !== 'rule' && Object.hasOwn(NAMES, kind) ? NAMES[kind]! : rule
}

/** Why nothing differs, or a result is not exact; inexact levels are not mentioned if nobody's points differ. */
export function warningsOf({
  orders,
  under_this_program: underThis,
  refused,
  erased = 0,
  attributes = 'recorded',
  without_attributes: withoutAttributes = 0,
  unlike_ledger: unlike,
  out_of_order: outOfOrder,
  changed_later: changedLater,
  balances,
  campaigns = [],
  winners,
  losers,
  left_out: leftOut = [],
}: BacktestDocument): string[] {
  const isSame = winners.length === 0 && losers.length === 0
  return [
    ...(orders === 0 ? ['no recorded orders in this period: nothing to compare'] : []),
    ...campaigns
      .filter((campaign) => orders > 0 && campaign.orders === 0)
      .map(
        (campaign) =>
          `${campaign.rule} applied to 0 of ${count(numberText(orders), 'order')}: none is in its date range, ${daysText(campaign)}`,
      ),
    ...(leftOut.length === 0
      ? []
      : [
          `without the scope support, the rules of this program could not read ${leftOut.join(', ')}: test such rules on made-up players with laurel program check`,
        ]),
    ...(orders === 0 || underThis < orders || !(isSame || leftOut.length === 0)
      ? []
      : [
          'these orders were recorded under this program, so nothing differs: to compare, import past orders under another one into a separate data directory (docs/import.md)',
        ]),
    ...(withoutAttributes === 0
      ? []
      : [
          `${count(numberText(withoutAttributes), 'order')} had products without attributes of this program that the catalogue has now: ${attributes === 'now' ? "computed with those of today's catalogue" : 'computed without them'}`,
        ]),
    ...(isSame || outOfOrder === 0
      ? []
      : [
          `${count(numberText(outOfOrder), 'order')} arrived after a later order of the same player: the levels in these orders are approximate`,
        ]),
    ...(isSame || changedLater === 0
      ? []
      : [
          `${count(numberText(changedLater), 'order')} changed later (a return, for instance) before another order of the player: the levels in those next orders are approximate`,
        ]),
    ...(balances === undefined || balances.spends_not_covered.after === 0
      ? []
      : [
          `${count(numberText(balances.spends_not_covered.after), 'spend')} would not have been covered, ${numberText(balances.not_covered.after)} points short (as recorded: ${numberText(balances.spends_not_covered.before)} and ${numberText(balances.not_covered.before)}): approximate, as returned goods count as never sold and players would have spent differently`,
        ]),
    ...(erased === 0
      ? []
      : [`${count(numberText(erased), 'order')} of erased players cannot be computed anew: they are left out`]),
    ...(refused === 0
      ? []
      : [`${count(numberText(refused), 'order')} would be refused and count as 0: more than 9007199254740991 points`]),
    ...(unlike === 0
      ? []
      : [
          `${count(numberText(unlike), 'order')} did not earn the points of the program in the ledger: run laurel ledger verify`,
        ]),
  ]
}

/** Levels by name, the candidate's first; `-` stands in the column of a program that lacks the level. */
export function levelRows({ before, after }: BacktestDocument['levels']): string[][] {
  const names = new Set([...after, ...before].map(({ name }) => name))
  return [...names].map((name) => {
    const [old, fresh] = [before, after].map((levels) => levels.find((level) => level.name === name))
    const from = [old, fresh].flatMap((level) => (level === undefined ? [] : [numberText(level.from)]))
    return [
      name,
      [...new Set(from)].join(' -> '),
      old === undefined ? '-' : numberText(old.players),
      fresh === undefined ? '-' : numberText(fresh.players),
    ].map(escapeControls)
  })
}

/** The rows of the table of balances: a name and the cells of a pair. */
export function balanceRows(balances: NonNullable<BacktestDocument['balances']>): string[][] {
  const { outstanding, pending, expired, owed, not_covered: notCovered } = balances
  const rows = { outstanding, pending, expired, owed, overspent: notCovered }
  return Object.entries(rows).map(([name, sums]) => [name, ...pairOf(sums)])
}

/** Example ids, with `...` if there are more `players` than ids. */
export function idsOf(ids: readonly string[], players: number): string {
  return `${ids.join(', ')}${players > ids.length ? ', ...' : ''}`
}

/** How much of a change comes from referring others; empty if nothing does. */
export function referralsOf({ of_referrals: points }: BacktestDocument['winners'][number]): string {
  return points === '0' ? '' : `, ${signed(points)} of it for referrals`
}

/** A line that says how many changed orders are not listed; none if all are. */
export function formatRemainingOrders({
  orders,
  orders_changed: changed,
}: BacktestDocument['winners'][number]): string[] {
  const more = changed - orders.length
  return more === 0 ? [] : [`and ${more === 1 ? '1 more order' : `${numberText(more)} more orders`}`]
}

/** A number with thousands separators. One that needs more than four decimals is rounded half up to two, and prefixed with `~`. */
export function numberText(number: string | number): string {
  const text = String(number)
  if (text.includes('/') || (text.split('.')[1]?.length ?? 0) > 4) return `~${numberText(toCents(text))}`
  const [whole = '', decimals] = text.split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (decimals === undefined ? '' : `.${decimals}`)
}

/** Formats a number with a plus sign if it is positive. */
export function signed(number: string): string {
  const text = numberText(number)
  return number.startsWith('-') || number === '0' ? text : text.replace(/^~?/, '$&+')
}

function toCents(text: string): string {
  const [over = '', under = '1'] = text.split('/')
  const [whole = '', decimals = ''] = over.split('.')
  const den = BigInt(under) * 10n ** BigInt(decimals.length)
  return ratioText(ratio(roundTo({ num: BigInt(whole + decimals) * 100n, den }, 'half-up'), 100n))
}
