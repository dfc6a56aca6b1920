/*
 * How commands print: lines, JSON, values, tables, files, colours and bars. Everything that they print goes through here, where control characters
 * of texts that others wrote are escaped.
 */
import { styleText } from 'node:util'
import { jsonOf } from '../../json-sums.ts'
import { escapeControls, escapeControlsInLines } from '../../text.ts'

type Value = string | number

/** Prints a line: a template whose values are texts that others wrote. Control characters in them are escaped, line breaks too. */
export function printLine(parts: TemplateStringsArray, ...values: readonly Value[]): void {
  process.stdout.write(`${lineOf(parts, values)}\n`)
}

/** The same on standard error, where it is not in the way of what a script reads. */
export function noteLine(parts: TemplateStringsArray, ...values: readonly Value[]): void {
  process.stderr.write(`${lineOf(parts, values)}\n`)
}

function lineOf(parts: readonly string[], values: readonly Value[]): string {
  return parts.map((part, place) => `${part}${escapeControls(String(values[place] ?? ''))}`).join('')
}

/** Prints a text of several lines. Control characters are escaped, except line breaks: in its parts, these must be escaped before. */
export function printText(text: string): void {
  process.stdout.write(escapeControlsInLines(text))
}

const COLOURS = { green: 32, red: 31, cyan: 36, bold: 1 } as const
const ENDS = [39, 22]
const CODE = new RegExp(`(\\u001b\\[(?:${[...Object.values(COLOURS), ...ENDS].join('|')})m)`)

/** The same for a text with coloured words; its other parts must be escaped before. */
export function printColoured(text: string): void {
  process.stdout.write(
    text
      .split(CODE)
      .map((part) => (CODE.test(part) ? part : escapeControlsInLines(part)))
      .join(''),
  )
}

/** A word in colour, if standard output is a terminal that shows colours. */
export function coloured(style: keyof typeof COLOURS, word: string): string {
  return styleText(style, word, { stream: process.stdout })
}

/** Prints a file byte for byte, as it may be stored; on a terminal, control characters are escaped. */
export function printFile(text: string): void {
  process.stdout.write(process.stdout.isTTY ? escapeControlsInLines(text) : text)
}

/** Prints a file of any size as it is read. Ends early if the reader has closed the pipe, as `head` does. */
export async function printChunks(chunks: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    const { promise, resolve } = Promise.withResolvers<Error | null | undefined>()
    process.stdout.write(chunk, resolve)
    const error: NodeJS.ErrnoException | null | undefined = await promise
    if (error?.code === 'EPIPE') return
    if (error != null) throw error
  }
}

/** When figures are true, and their quality (decision 207): `as of 2026-01-31T12:00:00.000Z, exact`. A service from before answers named them may say neither. */
export function provenanceText(asOf: string | undefined, quality: string | null | undefined): string {
  const parts = asOf === undefined ? [] : [`as of ${asOf}`]
  return [...parts, ...(quality == null ? [] : [quality])].map(escapeControls).join(', ')
}

/** Prints a value as JSON, for programs, but indented so that people can read it, too. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value, 2)}\n`)
}

/** Prints a value as JSON on one line. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${jsonText(value)}\n`)
}

/** JSON itself escapes only the control characters below the blank. */
function jsonText(value: unknown, indent?: number): string {
  return escapeControlsInLines(jsonOf(value, indent))
}

/** Prints names and values in two columns, without those that are undefined. */
export function printValues(values: Readonly<Record<string, unknown>>): void {
  const rows = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [escapeControls(name), value] as const)
  const width = widest(rows.map(([name]) => name))
  for (const [name, value] of rows)
    printText(`${name.padEnd(width)}  ${escapeControls(valueText(value))}`.trimEnd().concat('\n'))
}

function valueText(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A wider cell stands out of its column, instead of widening every row. */
const COLUMN_WIDTH_MAX = 200

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, Math.min(cell.length, COLUMN_WIDTH_MAX)), 0)
}

/** Rows under a head, control characters in both escaped, in columns as wide as their widest cell. Columns in `numbers` are right-aligned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string {
  const all = [head, ...rows].map((row) => row.map(escapeControls))
  const widths = head.map((_, column) => widest(all.map((row) => row[column] ?? '')))
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

const BAR_WIDTH = 20
const [FULL, MINUS] = ['▇', '░']

/** A bar for each number, in proportion to the largest; negative ones in another shade. Empty if standard output is not a terminal. */
export function barsOf(numbers: readonly number[], isTerminal = process.stdout.isTTY === true): string[] {
  const most = numbers.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0)
  return numbers.map((number) => {
    const share = most === 0 ? 0 : Math.abs(number) / most
    const width = number === 0 ? 0 : Math.max(1, Math.round(share * BAR_WIDTH))
    return isTerminal ? (number < 0 ? MINUS : FULL).repeat(width) : ''
  })
}
