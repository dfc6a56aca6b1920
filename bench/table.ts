/*
 * Figures formatted for people.
 */
import type { Figure } from './figures.ts'

const HEAD = [
  ...['figure', 'database', 'floor', 'ours', 'ratio', 'must', 'aim', 'met'],
  ...['spread', 'processor time of ours', 'measured with'],
]
const MET = { aim: 'aim', must: 'yes', no: 'no' } as const

/** One table of Markdown. */
export function tableOf(figures: readonly Figure[]): string {
  return linesOf([HEAD, ...figures.map(cellsOf)])
}

/** Rows as a table of Markdown, the head first, with columns as wide as their widest cell, so that a terminal shows it well. */
export function linesOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const [head, ...body] = rows.map(line)
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n')
}

/** How many targets were met, and which were not. */
export function verdictOf(figures: readonly Figure[]): string {
  const targets = figures.filter(({ met }) => met !== null)
  const missed = targets.filter(({ met }) => met === 'no').map(({ figure, database }) => `${figure} (${database})`)
  const aims = targets.filter(({ met }) => met === 'aim').length
  const verdict = `${targets.length - missed.length} of ${targets.length} targets met, ${aims} with their aim.`
  return missed.length === 0 ? verdict : `${verdict} Not met: ${missed.join(', ')}.`
}

/** A figure in one short line. */
export function shownFigure(figure: Figure): string {
  const [name, database, floor, ours, ratio, must, , met, spread, threads] = cellsOf(figure)
  const runs = spread === '' ? '' : ` (${spread})`
  const beside = floor === '' ? runs : `, ${ratio}${runs} of ${floor}`
  const target = met === '' ? '' : `; must be ${must}: ${met}`
  const spent = threads === '' ? '' : `; ${threads}`
  return `${name}, ${database}: ${ours}${beside}${target}${spent}`
}

function cellsOf(shown: Figure): string[] {
  const { figure, database, unit, floor, ours, ratio, bound, must, aim, met, note } = shown
  const value = (number: number | null) => (number === null ? '' : `${rounded(number)} ${unit}`)
  const goal = (number: number | null) => {
    if (number === null) return ''
    const sign = bound.is === 'at least' ? '≥' : '≤'
    return bound.of === 'ours' ? `${sign} ${value(number)}` : `${sign} ${number}`
  }
  const shownRatio = ratio === null ? '' : ratio.toFixed(2)
  const shownMet = met === null ? '' : MET[met]
  const goals = [goal(must), goal(aim), shownMet]
  return [figure, database, value(floor), value(ours), shownRatio, ...goals, spreadOf(shown), threadsOf(shown), note]
}

/** `0.38 to 0.44`: ratios, or values where there is no floor. */
function spreadOf({ spread, ratio }: Figure): string {
  if (spread === null) return ''
  return spread.map((one) => (ratio === null ? rounded(one) : one.toFixed(2))).join(' to ')
}

/** `52.1 us each; main thread 71 %, helpers of V8 12 %` */
function threadsOf({ threads }: Figure): string {
  if (threads === null) return ''
  const percent = (share: number) => `${Math.round(share * 100)} %`
  return `${rounded(threads.each)} us each; main thread ${percent(threads.main)}, helpers of V8 ${percent(threads.helpers)}`
}

/** At least three digits, with thousands separated. */
export function rounded(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 10 ? 1 : 2)
}
