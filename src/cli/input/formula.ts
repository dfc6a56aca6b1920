/*
 * Where the value of a field comes from: a formula over the columns of a row. Formulas are plain data, so that a preset is a table of them;
 * a text is written as after --map: `"First Name"+" "+"Last Name"`.
 */

import { InvalidValue } from '../../engine/ingest/record.ts'
import { amountText, parseAmount, pricedText } from '../../engine/points/arithmetic.ts'
import { OperatorError } from '../../errors.ts'

/** A row of a table, or a record, under the sender's names. */
export type SourceRow = Readonly<Record<string, unknown>>

/** A text as after --map, or one of a few forms that presets need. A list gives the first of its formulas that finds something. */
export type Formula =
  | string
  | readonly Formula[]
  /** The sum of some columns, less the sum of others. Empty cells count as 0. */
  | Readonly<{ sum: readonly string[]; less?: readonly string[] }>
  | Readonly<{ product: readonly [string, string] }>
  /** What a word of the file means here. A word that is not listed stays as it is. */
  | Readonly<{ word: string; means: Readonly<Record<string, string>> }>
  /** A fixed text, if the column is not empty. */
  | Readonly<{ ifFilled: string; text: string }>
  | Readonly<{ lowercase: Formula }>
  /** Texts separated by commas; of a file without the column `beside` none, as there the column means something else. */
  | Readonly<{ list: string; beside?: string }>
  /** What was refunded of a line: the quantity in the first column, else the amount in the second; nothing where both are 0. */
  | Readonly<{ refunded: readonly [qty: string, amount: string] }>

/** A formula that can be computed. `read` returns undefined or an empty text if it finds nothing. Errors of `read`: InvalidValue. */
export type CompiledFormula = Readonly<{
  columns: readonly string[]
  read: (row: SourceRow) => unknown
  /** Whether it is a column, or joins several; absent where it chooses between columns, or computes something. */
  isJoined?: true
}>

/** What `sum(COLUMN)` and `first(FORMULA)` say about the rows of an order; `of` is what they enclose. */
export type RowsFormula = Readonly<{ rows: 'sum' | 'first'; of: string }>

/** Converts a number in the file's notation to that of the wire. Errors: InvalidValue. */
export type NumberReader = (value: unknown) => unknown

const DIGIT_OR_LETTER = /[\p{L}\p{N}]/u

/** Whether a formula computes a number: its operands have then been converted already. */
export function isComputed(formula: Formula): boolean {
  return typeof formula === 'object' && ('sum' in formula || 'product' in formula || 'refunded' in formula)
}

/** Prepares a formula. Errors: OperatorError if its text cannot be parsed; `option` is where it was given. */
export function compileFormula(formula: Formula, toNumber: NumberReader, option: string): CompiledFormula {
  if (typeof formula === 'string') return firstOf(parseAlternatives(formula, option))
  if (isList(formula)) return firstOf(formula.map((one) => compileFormula(one, toNumber, option)))
  if ('sum' in formula) return sumOf(formula, toNumber)
  if ('product' in formula) return productOf(formula.product, toNumber)
  if ('ifFilled' in formula) return onlyFilled(formula)
  if ('list' in formula) return listOf(formula)
  if ('refunded' in formula) return refundOf(formula.refunded, toNumber)
  if ('word' in formula) return meaningOf(formula)
  const { columns, read } = compileFormula(formula.lowercase, toNumber, option)
  return {
    columns,
    read: (row) => {
      const value = read(row)
      return typeof value === 'string' ? value.toLowerCase() : value
    },
  }
}

/** Parses a formula about the rows of an order; undefined for any other, such as a column with such a name in double quotes. */
export function parseRowsFormula(text: string): RowsFormula | undefined {
  const [, rows, of] = /^\s*(sum|first)\((.+)\)\s*$/s.exec(text) ?? []
  return rows === undefined ? undefined : { rows: rows as RowsFormula['rows'], of: of! }
}

/** Where a row that stands for all rows of an order has the sum of a column. */
export function sumCell(column: string): string {
  return `sum(${column})`
}

/** Whether a cell is empty. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** A currency: a symbol, perhaps with letters that tell whose it is, as in `US$`, or a code of ISO 4217. */
const CURRENCY = `(?:[A-Z]{0,2}\\p{Sc}|${Intl.supportedValuesOf('currency').join('|')})`
const CURRENCY_AT_END = new RegExp(`^([-(]?)\\s*${CURRENCY}\\s*|\\s*${CURRENCY}\\s*(\\)?)$`, 'u')
/** Groups of three digits, or those of India: `1,00,000.50`. */
const POINT_NUMBER = /^(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?$/
const COMMA_NUMBER = /^(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/

/** A number with a decimal point: `$1,234.50` is 1234.50, and `($19.95)` is -19.95. Anything else stays as it is, and will be refused. */
export function pointNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return signedNumber(value, POINT_NUMBER)?.replaceAll(',', '') ?? value
}

/** A number with a decimal comma: `1.234,50 €` is 1234.50. Errors: InvalidValue, as `12.50` may mean twelve and a half. */
export function commaNumber(value: unknown): unknown {
  if (typeof value !== 'string' || isBlank(value)) return value
  const number = signedNumber(value, COMMA_NUMBER)
  if (number === undefined) throw new InvalidValue('a number with a decimal comma like 12,50', value)
  return number.replaceAll('.', '').replace(',', '.')
}

/** A discount reduces, however a file writes it: `(1.50)` and `-1.50` are discounts of 1.50. */
export function reduction(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^-/, '') : value
}

/**
 * A number without its currency; undefined for anything else. A minus before it or before its currency, or brackets around one or both, as
 * accountants write them, mean that it is below 0.
 */
function signedNumber(text: string, unsigned: RegExp): string | undefined {
  const bare = text.trim().replace(CURRENCY_AT_END, '$1$2')
  const [, minus, inBrackets, plain] = /^(?:-(.+)|\((.+)\)|(.+))$/s.exec(bare) ?? []
  const number = (minus ?? inBrackets ?? plain ?? '').trim()
  if (!unsigned.test(number)) return undefined
  return plain === undefined && /[1-9]/.test(number) ? `-${number}` : number
}

function isList(formula: Formula): formula is readonly Formula[] {
  return Array.isArray(formula)
}

function firstOf(formulas: readonly CompiledFormula[]): CompiledFormula {
  const [only] = formulas
  if (only !== undefined && formulas.length === 1) return only
  return {
    columns: formulas.flatMap(({ columns }) => columns),
    read: (row) => {
      // If all are empty, the last one decides how: an empty cell is not the same as a missing column.
      let value: unknown
      for (const { read } of formulas) {
        value = read(row)
        if (!isBlank(value)) return value
      }
      return value
    },
  }
}

function sumOf({ sum, less = [] }: { sum: readonly string[]; less?: readonly string[] }, toNumber: NumberReader) {
  const total = (row: SourceRow, columns: readonly string[]) =>
    columns.reduce((all, column) => all + (amountOf(row[column], toNumber) ?? 0n), 0n)
  const columns = [...sum, ...less]
  const read = (row: SourceRow) =>
    columns.every((column) => isBlank(row[column])) ? undefined : amountText(total(row, sum) - total(row, less))
  return { columns, read }
}

function productOf([one, other]: readonly [string, string], toNumber: NumberReader): CompiledFormula {
  const read = (row: SourceRow) => {
    const [price, quantity] = [amountOf(row[one], toNumber), amountOf(row[other], toNumber)]
    return price === undefined || quantity === undefined ? undefined : pricedText(price * quantity)
  }
  return { columns: [one, other], read }
}

function listOf({ list: column, beside = column }: Readonly<{ list: string; beside?: string }>): CompiledFormula {
  const read = (row: SourceRow) => {
    const cell = row[column]
    if (isBlank(cell) || !Object.hasOwn(row, beside)) return undefined
    return String(cell)
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '')
  }
  return { columns: [column], read }
}

/** Refunds may be written below 0. */
function refundOf(columns: readonly [string, string], toNumber: NumberReader): CompiledFormula {
  const read = (row: SourceRow) => {
    const [qty = 0n, amount = 0n] = columns.map((column) => signedAmountOf(row[column], toNumber))
    if (qty !== 0n) return { qty: amountText(qty < 0n ? -qty : qty) }
    return amount === 0n ? undefined : amountText(amount < 0n ? -amount : amount)
  }
  return { columns, read }
}

/** An amount in 1/10,000, which may be below 0; undefined for an empty cell. Errors: InvalidValue. */
export function signedAmountOf(value: unknown, toNumber: NumberReader): bigint | undefined {
  if (isBlank(value)) return undefined
  const text = String(toNumber(value))
  const amount = parseAmount(text.replace(/^-/, ''))
  if (amount === undefined) throw new InvalidValue('a number with at most 4 decimal places', value)
  return text.startsWith('-') ? -amount : amount
}

function amountOf(value: unknown, toNumber: NumberReader): bigint | undefined {
  if (isBlank(value)) return undefined
  const amount = parseAmount(String(toNumber(value)))
  if (amount === undefined) throw new InvalidValue('a non-negative number with at most 4 decimal places', value)
  return amount
}

function onlyFilled({ ifFilled, text }: { ifFilled: string; text: string }): CompiledFormula {
  return { columns: [ifFilled], read: (row) => (isBlank(row[ifFilled]) ? undefined : text) }
}

function meaningOf({ word, means }: { word: string; means: Readonly<Record<string, string>> }): CompiledFormula {
  return { columns: [word], read: (row) => meaningIn(means, row[word]) }
}

/** What a word of the file means; any other value stays as it is. */
export function meaningIn(means: Readonly<Record<string, string>>, value: unknown): unknown {
  const word = typeof value === 'string' ? value.trim() : value
  return typeof word === 'string' && Object.hasOwn(means, word) ? means[word] : value
}

type Operand = Readonly<{ column: string } | { text: string }>

/** `A+B|C`: A and B joined, or C if these are blank. */
function parseAlternatives(text: string, option: string): CompiledFormula[] {
  const alternatives: Operand[][] = [[]]
  for (const { operand, endsWith } of splitOperands(text, option)) {
    alternatives.at(-1)!.push(operand)
    if (endsWith === '|') alternatives.push([])
  }
  return alternatives.map(joined)
}

function joined(operands: readonly Operand[]): CompiledFormula {
  const columns = operands.flatMap((operand) => ('column' in operand ? [operand.column] : []))
  const [only] = operands
  if (operands.length === 1 && only !== undefined && 'column' in only)
    return { columns, read: (row) => textOrList(row[only.column]), isJoined: true }
  const textOf = (value: unknown) => (isBlank(value) ? '' : String(value))
  return {
    columns,
    isJoined: true,
    read: (row) => {
      const empty = columns.filter((column) => isBlank(row[column]))
      if (empty.length > 0 && empty.length === columns.length) return ''
      const text = operands.map((operand) => ('text' in operand ? operand.text : textOf(row[operand.column]))).join('')
      // Between two blanks, an empty piece would leave both.
      return (empty.length === 0 ? text : text.replace(/\s{2,}/g, ' ')).trim()
    },
  }
}

/** JSON may contain a list, such as lines, and a number where the wire expects a text. */
function textOrList(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** Splits a formula at + and |, except within quotes. */
function splitOperands(text: string, option: string): { operand: Operand; endsWith: string }[] {
  const operands: { operand: Operand; endsWith: string }[] = []
  const pattern = /\s*(?:"([^"]*)"|'([^']*)')\s*([+|]|$)|([^+|]*)([+|]|$)/gy
  while (pattern.lastIndex < text.length || operands.at(-1)?.endsWith !== '') {
    const [, double, single, afterQuote, bare = '', after = ''] = pattern.exec(text)!
    const named = double ?? bare
    if (single === undefined && named === '')
      throw new OperatorError(`${option}: expected a column or a quoted string on both sides of + and |`)
    const operand = single === undefined ? toOperand(named, double !== undefined) : { text: single }
    operands.push({ operand, endsWith: afterQuote ?? after })
  }
  return operands
}

/** A shell removes double quotes, so they cannot mark a column: anything without a letter or a digit is a text. */
function toOperand(named: string, isQuoted: boolean): Operand {
  if (!DIGIT_OR_LETTER.test(named)) return { text: named }
  return { column: isQuoted ? named : named.trim() }
}
