/*
 * Figures formatted for people.
 */
import type { Figure } from './figures.ts'

const HEAD = ['figure', 'database', 'floor', 'ours', 'ratio', 'must', 'aim', 'met', 'measured with']
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
  const [name, database, floor, ours, ratio, must, , met] = cellsOf(figure)
  const beside = floor === '' ? '' : `, ${ratio} of ${floor}`
  const target = met === '' ? '' : `; must be ${must}: ${met}`
  return `${name}, ${database}: ${ours}${beside}${target}`
}

function cellsOf({ figure, database, unit, floor, ours, ratio, bound, must, aim, met, note }: Figure): string[] {
  const value = (number: number | null) => (number === null ? '' : `${rounded(number)} ${unit}`)
  const goal = (number: number | null) => {
    if (number === null) return ''
    const sign = bound.is === 'at least' ? '≥' : '≤'
    return bound.of === 'ours' ? `${sign} ${value(number)}` : `${sign} ${number}`
  }
  const shownRatio = ratio === null ? '' : ratio.toFixed(2)
  const shownMet = met === null ? '' : MET[met]
  return [figure, database, value(floor), value(ours), shownRatio, goal(must), goal(aim), shownMet, note]
}

/** At least three digits, with thousands separated. */
export function rounded(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 10 ? 1 : 2)
}
