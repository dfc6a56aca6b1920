import { barChart, COLOURS, columnChart, escapedMarkup } from './backtest-charts.ts'
import {
  balanceRows,
  changeOf,
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
} from './backtest-format.ts'
import type { BacktestDocument } from './backtest-result.ts'

/** A backtest as a self-contained page for people new to Laurel: no scripts, no external resources, with styles for dark mode and print. */
export function pageOf(backtest: BacktestDocument): string {
  const { program, held, to, months, rules, levels } = backtest
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Backtest of “${escapedMarkup(program)}”</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Backtest of “${escapedMarkup(program)}”</h1>
<p class="answer">${escapedMarkup(responseOf(backtest))}</p>
<p>Every recorded order (${escapedMarkup(timeRangeText(backtest))}) was recomputed under “${escapedMarkup(program)}”, oldest first. <em>Before</em>: as recorded; <em>after</em>: recomputed.
In effect ${to === null ? 'now' : 'at the end of the period'}: “${escapedMarkup(held)}”. A backtest changes nothing.</p>
${warningsOf(backtest)
  .map((warning) => `<p class="warning">${escapedMarkup(warning)}.</p>`)
  .join('\n')}
${tableOf(['', 'before', 'after', 'difference'], headRows(backtest))}
<h2>Points by month</h2>
<p>Points issued for the orders of each month (UTC).</p>
${
  months.length === 0
    ? ''
    : columnChart(
        months.map(({ month, before, after }) => ({ name: month, before, after })),
        { unit: 'points', label: 'Points by month, before and after' },
      )
}
${tableOf(
  ['month', 'orders', 'before', 'after', 'difference'],
  months.map((month) => [month.month, numberText(month.orders), ...pairOf(month)]),
)}
<h2>Points by rule</h2>
<p>Points by rule. <em>Rounding</em> is the effect of rounding each order to whole points. The lines add up to all points. A number after ~ has more than 4 decimal places, and is rounded to 2.</p>
${
  rules.length === 0
    ? ''
    : barChart(
        rules.map((rule) => ({ ...rule, name: sourceName(rule) })),
        { unit: 'points', label: 'Points by rule, before and after' },
      )
}
${tableOf(
  ['rule', 'before', 'after', 'difference'],
  rules.map((rule) => [sourceName(rule), ...pairOf(rule)]),
)}
${balancesOf(backtest)}<h2>Players by level</h2>
<p>The number of players on each level on ${escapedMarkup(backtest.levels_at.slice(0, 10))}. A player's <em>level</em> follows from the points that count for it.</p>
${barChart(levelBars(levels), { unit: 'players', label: 'Players by level, before and after' })}
${tableOf(['level', 'from points', 'players before', 'players after'], levelRows(levels))}
<h3>Level changes</h3>
${
  backtest.moves.length === 0
    ? '<p>No player changes level.</p>'
    : tableOf(
        ['from', 'to', 'players', 'for example'],
        backtest.moves.map(({ from, to, players, user_ids: ids }) => [
          from,
          to,
          numberText(players),
          idsOf(ids, players),
        ]),
        [2],
      )
}
<h2>Largest winners</h2>
${playersOf(backtest.winners, 'No player would have earned more points.')}
<h2>Largest losers</h2>
${playersOf(backtest.losers, 'No player would have earned fewer points.')}
</main>
</body>
</html>
`
}

/** The result in a sentence or two. */
function responseOf({ program, points, cost, point_value: value, orders, players }: BacktestDocument): string {
  const more = points.difference.startsWith('-') ? 'fewer' : 'more'
  const size = points.difference.replace('-', '')
  const who = `the ${numberText(orders)} orders of ${numberText(players)} players`
  const perCent = points.per_cent === null ? '' : ` (${signed(points.per_cent)} %)`
  const outcome =
    points.difference === '0'
      ? `${who} would have earned ${numberText(points.after)} points, as many as they did.`
      : `${who} would have earned ${numberText(points.after)} points instead of ${numberText(points.before)}: ${numberText(size)} ${more}${perCent}.`
  const costs =
    cost === undefined
      ? ''
      : ` If a point is worth ${value}, they cost ${numberText(cost.after)} instead of ${numberText(cost.before)}: ${signed(cost.difference)}.`
  return `Under “${program}”, ${outcome}${costs}`
}

function headRows({ points, cost }: BacktestDocument): string[][] {
  return [
    ['points', numberText(points.before), numberText(points.after), changeOf(points)],
    ...(cost === undefined ? [] : [['cost', ...pairOf(cost)]]),
  ]
}

function balancesOf({ balances, levels_at: at }: BacktestDocument): string {
  if (balances === undefined) return ''
  return `<h2>Balances</h2>
<p>Points as of ${escapedMarkup(at.slice(0, 10))}, with the same redemptions. <em>Outstanding</em> can be spent, <em>pending</em> not yet, <em>expired</em> never was, <em>owed</em> is below 0. <em>Overspent</em> is approximate.</p>
${tableOf(['points', 'before', 'after', 'difference'], balanceRows(balances))}
`
}

function levelBars({ before, after }: BacktestDocument['levels']) {
  const playersOn = (levels: typeof before, name: string) =>
    String(levels.find((level) => level.name === name)?.players ?? 0)
  const names = new Set([...after, ...before].map(({ name }) => name))
  return [...names].map((name) => ({ name, before: playersOn(before, name), after: playersOn(after, name) }))
}

function playersOf(players: BacktestDocument['winners'], nobody: string): string {
  if (players.length === 0) return `<p>${nobody}</p>`
  return players
    .map((player) => {
      const rows = player.orders.flatMap((order) => [
        [`order ${order.order_id}, ${order.at.slice(0, 10)}`, ...pairOf(order)],
        ...order.rules.map((rule) => [`· ${sourceName(rule)}`, ...pairOf(rule)]),
      ])
      const more = formatRemainingOrders(player)
        .map((text) => `<p>${escapedMarkup(text)}</p>`)
        .join('')
      const name = `<strong>${escapedMarkup(signed(player.difference))}</strong> points: player ${escapedMarkup(player.user_id)}${escapedMarkup(referralsOf(player))}`
      return `<details><summary>${name}</summary>${rows.length === 0 ? '' : tableOf(['', 'before', 'after', 'difference'], rows)}${more}</details>`
    })
    .join('\n')
}

/** A table. Columns of numbers are right-aligned: all but the first, or those in `numbers`. */
function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers = head.map((_, column) => column).slice(1),
): string {
  if (rows.length === 0) return '<p>Nothing.</p>'
  const cell = (tag: 'th' | 'td') => (text: string, column: number) =>
    `<${tag}${numbers.includes(column) ? ' class="number"' : ''}>${escapedMarkup(text)}</${tag}>`
  const body = rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`).join('\n')
  return `<div class="scroll"><table><thead><tr>${head.map(cell('th')).join('')}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

/** Charts are drawn in colours for a light background; on a dark one they are overridden. */
const inTheDark = (colour: string, dark: string) =>
  `svg [fill="${colour}" i]{fill:${dark}}svg [stroke="${colour}" i]{stroke:${dark}}`

const STYLE = `
:root{--ink:${COLOURS.ink};--paper:#fff;--quiet:#57606a;--line:${COLOURS.line};--soft:#f6f8fa}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.5rem 0 .5rem;border-top:1px solid var(--line);padding-top:1.5rem}
h3{font-size:1rem;margin:1.5rem 0 .5rem}
.answer{font-size:1.2rem;background:var(--soft);border-left:4px solid ${COLOURS.after};padding:.75rem 1rem;overflow-wrap:anywhere}
.warning{border-left:4px solid #d29922;padding:.25rem 1rem}
.scroll{overflow-x:auto}
svg{display:block;width:100%;height:auto;margin:.5rem 0}
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.5rem 0}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word}
th{color:var(--quiet);font-weight:600}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
details{border-bottom:1px solid var(--line);padding:.4rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
@media (max-width:36rem){th,td{padding:.3rem .25rem}}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--quiet:#8d96a0;--line:#30363d;--soft:#161b22}
${inTheDark(COLOURS.ink, '#e6edf3')}${inTheDark(COLOURS.line, '#30363d')}${inTheDark(COLOURS.after, '#58a6ff')}}
@media print{@page{margin:1.5cm}main{max-width:none;padding:0}details::details-content{content-visibility:visible;display:block}svg,table,details{break-inside:avoid}h2{break-after:avoid}}
`
