import {
  balanceRows,
  changeOf,
  daysText,
  formatRemainingOrders,
  idsOf,
  levelRows,
  numberText,
  pairOf,
  referralsOf,
  signed,
  sourceName,
  timeRangeText,
  warningsOf,
} from '../../resources/backtests/backtest-format.ts'
import type { BacktestDocument } from '../../resources/backtests/backtest-result.ts'
import { count, escapeControls } from '../../text.ts'
import { table } from './print.ts'

/** The outcome of a backtest, for people at a terminal. */
export function backtestText(backtest: BacktestDocument): string {
  const { cost, point_value: value } = backtest
  const lines = [
    `Program  ${backtest.program}; ${backtest.to === null ? 'in effect' : 'in effect at the end'}: ${backtest.held}`,
    `Period   ${timeRangeText(backtest)}`,
    `Orders   ${numberText(backtest.orders)} of ${count(numberText(backtest.players), 'player')}`,
    `Points   ${numberText(backtest.points.before)} were issued, ${numberText(backtest.points.after)} would have been: ${changeOf(backtest.points)}`,
    ...(cost === undefined
      ? []
      : [
          `Cost     ${numberText(cost.before)}, would have been ${numberText(cost.after)}: ${signed(cost.difference)}, at ${value} a point`,
        ]),
    ...movedOf(backtest),
    ...warningsOf(backtest),
    ...offerOf(backtest),
    ...attributesOfferOf(backtest),
  ]
  const sections = [
    [
      'By month',
      tableOrNothing(
        MONTHS,
        backtest.months.map((month) => [month.month, numberText(month.orders), ...pairOf(month)]),
        [1, 2, 3, 4],
      ),
    ],
    [
      'By rule',
      tableOrNothing(
        RULES,
        backtest.rules.map((rule) => [sourceName(rule), ...pairOf(rule)]),
        [1, 2, 3],
      ),
    ],
    ...(backtest.balances === undefined
      ? []
      : [['Balances', table(BALANCES, balanceRows(backtest.balances), [1, 2, 3])] as const]),
    ['Levels', levelsText(backtest)],
    ['Level changes', movesText(backtest.moves)],
    ['Largest winners', playersText(backtest.winners)],
    ['Largest losers', playersText(backtest.losers)],
  ]
  return `${lines.map(escapeControls).join('\n')}\n${sections.map(([title, text]) => `\n${title}\n\n${text}`).join('')}`
}

/** Which rules were moved onto which days. */
function movedOf({ campaigns = [] }: BacktestDocument): string[] {
  return campaigns
    .filter(({ weeks_earlier }) => weeks_earlier > 0)
    .map((campaign) => {
      const { rule, orders, weeks_earlier: weeks } = campaign
      const moved = `${count(numberText(weeks), 'week')} earlier, ${daysText(campaign)}`
      return `Moved    ${rule}, ${moved}: ${count(numberText(orders), 'order')}`
    })
}

/** How to see what rules that are still to come would have given. */
function offerOf({ past_days: past }: BacktestDocument): string[] {
  if (past == null) return []
  return [`to see them on past days, ${daysText(past)}: --weeks-earlier ${past.weeks_earlier}`]
}

/** How to see what orders would earn with attributes that their products have now. */
function attributesOfferOf({ attributes, without_attributes: orders = 0 }: BacktestDocument): string[] {
  return orders === 0 || attributes === 'now' ? [] : ["to compute them with today's catalogue: --attributes now"]
}

function tableOrNothing(...[head, rows, numbers]: Parameters<typeof table>): string {
  return rows.length === 0 ? 'nothing\n' : table(head, rows, numbers)
}

const MONTHS = ['month', 'orders', 'before', 'after', 'difference']
const BALANCES = ['points', 'before', 'after', 'difference']
const RULES = ['rule', 'before', 'after', 'difference']

function levelsText({ levels }: BacktestDocument): string {
  return table(['level', 'from', 'players before', 'players after'], levelRows(levels), [1, 2, 3])
}

function movesText(moves: BacktestDocument['moves']): string {
  if (moves.length === 0) return 'none\n'
  const rows = moves.map(({ from, to, players, user_ids: ids }) => [from, to, numberText(players), idsOf(ids, players)])
  return table(['from', 'to', 'players', 'for example'], rows, [2])
}

function playersText(players: BacktestDocument['winners']): string {
  if (players.length === 0) return 'none\n'
  return players
    .flatMap((player) => [
      `${signed(player.difference)}  ${player.user_id}${referralsOf(player)}`,
      ...player.orders.flatMap((order) => [
        `    order ${order.order_id}, ${order.at.slice(0, 10)}: ${numberText(order.before)} -> ${numberText(order.after)}, ${signed(order.difference)}`,
        ...order.rules.map(
          (rule) => `        ${sourceName(rule)}: ${numberText(rule.before)} -> ${numberText(rule.after)}`,
        ),
      ]),
      ...formatRemainingOrders(player).map((more) => `    ${more}`),
    ])
    .map((line) => `${escapeControls(line)}\n`)
    .join('')
}
