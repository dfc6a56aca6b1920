/*
 * How commands print: JSON, values, tables, colours and bars.
 */
import { styleText } from 'node:util'
import { escapeControls } from '../../text.ts'

/** Prints a value as JSON, for programs, but indented so that people can read it, too. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Prints names and values in two columns; control characters of stored texts are escaped, as a terminal would obey them. */
export function printValues(values: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  for (const [name, value] of Object.entries(values))
    process.stdout.write(
      `${name.padEnd(width)}  ${escapeControls(value === null ? '' : String(value))}`.trimEnd().concat('\n'),
    )
}

/** Rows under a head, control characters escaped, in columns as wide as their widest cell. Columns in `numbers` are right-aligned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string {
  const all = [head, ...rows.map((row) => row.map(escapeControls))]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) =>
            numbers.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
          )
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** A word in colour, if standard output is a terminal that shows colours. */
export function coloured(style: 'green' | 'red' | 'cyan' | 'bold', word: string): string {
  return styleText(style, word, { stream: process.stdout })
}

const BAR_WIDTH = 20
const [FULL, MINUS] = ['▇', '░']

/** A bar for each number, in proportion to the largest; negative ones in another shade. Empty if standard output is not a terminal. */
export function barsOf(numbers: readonly number[], isTerminal = process.stdout.isTTY === true): string[] {
  const most = Math.max(...numbers.map(Math.abs))
  return numbers.map((number) => {
    const share = most === 0 ? 0 : Math.abs(number) / most
    const width = number === 0 ? 0 : Math.max(1, Math.round(share * BAR_WIDTH))
    return isTerminal ? (number < 0 ? MINUS : FULL).repeat(width) : ''
  })
}
