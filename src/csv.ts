/*
 * Writes CSV: lists of the API, reports of the command line, and tables that the console saves.
 */
import { escapedCharacter } from './text.ts'

/**
 * What a spreadsheet would take for a formula, full-width characters included: at the beginning of a text, and after what begins a cell or a row for one
 * that takes another separator than the comma, and then does not know our quotes either.
 */
const FORMULA = /(^[\s",]*|[;|\t\r\n][\s"]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g
/** Begins like a formula, but is a number. */
const BELOW_ZERO = /^-\d+(\.\d+)?$/

/** Rows as CSV (RFC 4180), the line of names among them. What looks like a formula gets a `'` before it; null and undefined are empty. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map((value, place) => cellOf(value, place === 0)).join()}\r\n`).join('')
}

function cellOf(value: unknown, isFirst: boolean): string {
  if (value === null || value === undefined) return ''
  const text = textOf(value, isFirst)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: unknown, isFirst: boolean): string {
  // JSON stays the same value.
  if (typeof value === 'object')
    return JSON.stringify(value).replace(FORMULA, (_, before, sign) => before + escapedCharacter(sign))
  // At the beginning of a row, what follows may belong to it: with a decimal comma, `-1,5+1` is a formula.
  if (typeof value !== 'string' || (BELOW_ZERO.test(value) && !isFirst)) return String(value)
  const text = value.replace(FORMULA, "$1'$2")
  return /^[\t\r\n]/.test(text) ? `'${text}` : text
}
