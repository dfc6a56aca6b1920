import { ratio, ratioText, roundTo } from '../points/arithmetic.ts'
import type { BacktestDocument } from './backtest-document.ts'
import { oneLine, table } from './table.ts'
import { count } from './whole-store.ts'

/** How sums that belong to no rule are called. */
const NAMES: Readonly<Record<string, string>> = {
  referral: 'referral, to the friend',
  referrer: 'referral, to the referrer',
  rounding: 'rounding',
}

/** What a backtest found, for people at a terminal. */
export function textOf(found: BacktestDocument): string {
  const { cost, point_value: value } = found
  const lines = [
    `Program  ${found.program}; ${found.to === null ? 'what holds' : 'what held at the end'} is ${found.held}`,
    `Span     ${spanOf(found)}`,
    `Orders   ${shown(found.orders)} of ${count(shown(found.players), 'player')}`,
    `Points   ${shown(found.points.before)} were issued, ${shown(found.points.after)} would have been: ${changeOf(found.points)}`,
    ...(cost === undefined
      ? []
      : [
          `Cost     ${shown(cost.before)}, would have been ${shown(cost.after)}: ${signed(cost.difference)}, at ${value} a point`,
        ]),
    ...warningsOf(found),
  ]
  const sections = [
    [
      'By month',
      tableOrNothing(
        MONTHS,
        found.months.map((month) => [month.month, shown(month.orders), ...pairOf(month)]),
        [1, 2, 3, 4],
      ),
    ],
    [
      'By rule',
      tableOrNothing(
        RULES,
        found.rules.map((rule) => [oneLine(sourceName(rule)), ...pairOf(rule)]),
        [1, 2, 3],
      ),
    ],
    ['Levels', levelsText(found)],
    ['Who moves', movesText(found.moves)],
    ['Largest winners', playersText(found.winners)],
    ['Largest losers', playersText(found.losers)],
  ]
  return `${lines.map(oneLine).join('\n')}\n${sections.map(([title, text]) => `\n${title}\n\n${text}`).join('')}`
}

function tableOrNothing(...[head, rows, numbers]: Parameters<typeof table>): string {
  return rows.length === 0 ? 'nothing\n' : table(head, rows, numbers)
}

const MONTHS = ['month', 'orders', 'before', 'after', 'difference']
const RULES = ['rule', 'before', 'after', 'difference']

type Sums = Readonly<{ before: string; after: string; difference: string }>

export function pairOf({ before, after, difference }: Sums): string[] {
  return [shown(before), shown(after), signed(difference)]
}

export function changeOf({ difference, per_cent: perCent }: BacktestDocument['points']): string {
  return `${signed(difference)}${perCent === null ? '' : ` (${signed(perCent)} %)`}`
}

export function spanOf({ from, to }: Pick<BacktestDocument, 'from' | 'to'>): string {
  if (from === null && to === null) return 'all orders'
  return [from === null ? '' : `from ${from}`, to === null ? '' : `before ${to}`]
    .filter((part) => part !== '')
    .join(', ')
}

export function sourceName({ kind, rule }: Readonly<{ kind: string; rule: string }>): string {
  return kind === 'rule' ? rule : NAMES[kind]!
}

/** What makes an outcome less than exact. Where nobody has other points, none of it matters. */
export function warningsOf({
  refused,
  unlike_ledger: unlike,
  out_of_order: outOfOrder,
  changed_later: changedLater,
  winners,
  losers,
}: BacktestDocument): string[] {
  const isSame = winners.length === 0 && losers.length === 0
  return [
    ...(isSame || outOfOrder === 0
      ? []
      : [
          `${count(shown(outOfOrder), 'order')} came later than an order of the same player that lies after: the levels in these orders are near, not exact`,
        ]),
    ...(isSame || changedLater === 0
      ? []
      : [
          `${count(shown(changedLater), 'order')} changed later (goods came back, for instance), and the player ordered again: the levels in those next orders are near, not exact`,
        ]),
    ...(refused === 0
      ? []
      : [`${count(shown(refused), 'order')} would be refused, and count 0: more than 9007199254740991 points`]),
    ...(unlike === 0
      ? []
      : [`${count(shown(unlike), 'order')} earned otherwise than the ledger's program says: see laurel ledger verify`]),
  ]
}

function levelsText({ levels }: BacktestDocument): string {
  return table(['level', 'from', 'players before', 'players after'], levelRows(levels), [1, 2, 3])
}

/** Levels by name, those of the candidate first; a name that one side does not know has no number there. */
export function levelRows({ before, after }: BacktestDocument['levels']): string[][] {
  const names = new Set([...after, ...before].map(({ name }) => name))
  return [...names].map((name) => {
    const [old, fresh] = [before, after].map((levels) => levels.find((level) => level.name === name))
    const from = [old, fresh].flatMap((level) => (level === undefined ? [] : [shown(level.from)]))
    return [
      name,
      [...new Set(from)].join(' -> '),
      old === undefined ? '-' : shown(old.players),
      fresh === undefined ? '-' : shown(fresh.players),
    ].map(oneLine)
  })
}

function movesText(moves: BacktestDocument['moves']): string {
  if (moves.length === 0) return 'nobody\n'
  const rows = moves.map(({ from, to, players, user_ids: ids }) =>
    [from, to, shown(players), idsOf(ids, players)].map(oneLine),
  )
  return table(['from', 'to', 'players', 'for example'], rows, [2])
}

export function idsOf(ids: readonly string[], players: number): string {
  return `${ids.join(', ')}${players > ids.length ? ', ...' : ''}`
}

function playersText(players: BacktestDocument['winners']): string {
  if (players.length === 0) return 'nobody\n'
  return players
    .flatMap((player) => [
      `${signed(player.difference)}  ${player.user_id}${referralsOf(player)}`,
      ...player.orders.flatMap((order) => [
        `    order ${order.order_id}, ${order.at.slice(0, 10)}: ${shown(order.before)} -> ${shown(order.after)}, ${signed(order.difference)}`,
        ...order.rules.map((rule) => `        ${sourceName(rule)}: ${shown(rule.before)} -> ${shown(rule.after)}`),
      ]),
      ...moreOf(player).map((more) => `    ${more}`),
    ])
    .map((line) => `${oneLine(line)}\n`)
    .join('')
}

export function referralsOf({ of_referrals: points }: BacktestDocument['winners'][number]): string {
  return points === '0' ? '' : `, of it ${signed(points)} for referring others`
}

export function moreOf({ orders, orders_changed: changed }: BacktestDocument['winners'][number]): string[] {
  const more = changed - orders.length
  return more === 0 ? [] : [`and ${more === 1 ? '1 more order' : `${shown(more)} more orders`}`]
}

/** With commas between thousands. What does not end within four decimals is shown to two of them, half up, as about so much. */
export function shown(number: string | number): string {
  const text = String(number)
  if (text.includes('/') || (text.split('.')[1]?.length ?? 0) > 4) return `~${shown(toCents(text))}`
  const [whole = '', decimals] = text.split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (decimals === undefined ? '' : `.${decimals}`)
}

export function signed(number: string): string {
  const text = shown(number)
  return number.startsWith('-') || number === '0' ? text : text.replace(/^~?/, '$&+')
}

function toCents(text: string): string {
  const [over = '', under = '1'] = text.split('/')
  const [whole = '', decimals = ''] = over.split('.')
  const den = BigInt(under) * 10n ** BigInt(decimals.length)
  return ratioText(ratio(roundTo({ num: BigInt(whole + decimals) * 100n, den }, 'half-up'), 100n))
}
