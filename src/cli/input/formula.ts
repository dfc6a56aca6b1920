/*
 * Where the value of a field comes from: a formula over the columns of a row. Formulas are plain data, so that a preset is a table of them;
 * a text is written as after --map: `"First Name"+" "+"Last Name"`.
 */
import { OperatorError } from '../../errors.ts'
import { Misfit } from '../../ingest/record.ts'
import { amountText, parseAmount, pricedText } from '../../points/arithmetic.ts'

/** A row of a table, or a record under the names of its sender. */
export type SourceRow = Readonly<Record<string, unknown>>

/** A text as after --map, or one of a few forms that presets need. A list is the first of its formulas that gives something. */
export type Formula =
  | string
  | readonly Formula[]
  /** The amounts of some columns together, less those of others. Empty cells count nothing. */
  | Readonly<{ sum: readonly string[]; less?: readonly string[] }>
  | Readonly<{ product: readonly [string, string] }>
  /** What a word of the file means here. A word that is not listed stays as it is. */
  | Readonly<{ word: string; means: Readonly<Record<string, string>> }>
  /** A text that stands where a column holds anything. */
  | Readonly<{ ifFilled: string; text: string }>
  | Readonly<{ lowercase: Formula }>

/** A formula that can be computed. `read` answers undefined or an empty text where it finds nothing. Errors of `read`: Misfit. */
export type CompiledFormula = Readonly<{ columns: readonly string[]; read: (row: SourceRow) => unknown }>

/** Makes a number of a file into one of the wire. Errors: Misfit. */
export type NumberReader = (value: unknown) => unknown

const DIGIT_OR_LETTER = /[\p{L}\p{N}]/u

/** Whether a formula computes a number: then its operands were read as numbers of the file already. */
export function isComputed(formula: Formula): boolean {
  return typeof formula === 'object' && ('sum' in formula || 'product' in formula)
}

/** Prepares a formula. Errors: OperatorError where its text cannot be read; `option` says where that stands. */
export function compileFormula(formula: Formula, toNumber: NumberReader, option: string): CompiledFormula {
  if (typeof formula === 'string') return firstOf(parseAlternatives(formula, option))
  if (isList(formula)) return firstOf(formula.map((one) => compileFormula(one, toNumber, option)))
  if ('sum' in formula) return sumOf(formula, toNumber)
  if ('product' in formula) return productOf(formula.product, toNumber)
  if ('ifFilled' in formula) return onlyFilled(formula)
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

/** Whether a cell holds nothing. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** A number with a decimal point: `$1,234.50` is 1234.50. What is none stays as it is. */
export function pointNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const bare = withoutCurrency(value)
  return /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(bare) ? bare.replaceAll(',', '') : bare
}

/** A number with a decimal comma: `1.234,50 €` is 1234.50. Errors: Misfit, as `12.50` may be meant as twelve and a half. */
export function commaNumber(value: unknown): unknown {
  if (typeof value !== 'string' || isBlank(value)) return value
  const match = /^(-?(?:\d+|\d{1,3}(?:\.\d{3})+))(?:,(\d+))?$/.exec(withoutCurrency(value))
  if (match === null) throw new Misfit('a number with a decimal comma like 12,50', value)
  const whole = match[1]!.replaceAll('.', '')
  return match[2] === undefined ? whole : `${whole}.${match[2]}`
}

/** A number without the sign of a currency before or behind it, and without blanks. */
function withoutCurrency(text: string): string {
  return text.trim().replace(/^(-?)\p{Sc}\s*|\s*\p{Sc}$/gu, '$1')
}

function isList(formula: Formula): formula is readonly Formula[] {
  return Array.isArray(formula)
}

function firstOf(formulas: readonly CompiledFormula[]): CompiledFormula {
  return {
    columns: formulas.flatMap(({ columns }) => columns),
    read: (row) => {
      // Where all are empty the last one's emptiness stands: an empty cell is not the same as no column.
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

function amountOf(value: unknown, toNumber: NumberReader): bigint | undefined {
  if (isBlank(value)) return undefined
  const amount = parseAmount(String(toNumber(value)))
  if (amount === undefined) throw new Misfit('a number from 0 with at most four decimals', value)
  return amount
}

function onlyFilled({ ifFilled, text }: { ifFilled: string; text: string }): CompiledFormula {
  return { columns: [ifFilled], read: (row) => (isBlank(row[ifFilled]) ? undefined : text) }
}

function meaningOf({ word, means }: { word: string; means: Readonly<Record<string, string>> }): CompiledFormula {
  return { columns: [word], read: (row) => meaningIn(means, row[word]) }
}

/** What a word of the file means; another value stays as it is. */
export function meaningIn(means: Readonly<Record<string, string>>, value: unknown): unknown {
  const word = typeof value === 'string' ? value.trim() : value
  return typeof word === 'string' && Object.hasOwn(means, word) ? means[word] : value
}

type Piece = Readonly<{ column: string } | { text: string }>

/** `A+B|C`: A and B joined, or where these are blank C. */
function parseAlternatives(text: string, option: string): CompiledFormula[] {
  const alternatives: Piece[][] = [[]]
  for (const { piece, endsWith } of piecesOf(text, option)) {
    alternatives.at(-1)!.push(piece)
    if (endsWith === '|') alternatives.push([])
  }
  return alternatives.map(joined)
}

function joined(pieces: readonly Piece[]): CompiledFormula {
  const columns = pieces.flatMap((piece) => ('column' in piece ? [piece.column] : []))
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined && 'column' in only)
    return { columns, read: (row) => textOrList(row[only.column]) }
  const textOf = (value: unknown) => (isBlank(value) ? '' : String(value))
  const isFixed = columns.length === 0
  return {
    columns,
    read: (row) =>
      isFixed || columns.some((column) => !isBlank(row[column]))
        ? pieces
            .map((piece) => ('text' in piece ? piece.text : textOf(row[piece.column])))
            .join('')
            .trim()
        : '',
  }
}

/** JSON may hold a list, such as lines; and a number where the wire wants a text, which says the same of a number. */
function textOrList(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** Cuts a formula at + and |, where these do not stand between quotes. */
function piecesOf(text: string, option: string): { piece: Piece; endsWith: string }[] {
  const found: { piece: Piece; endsWith: string }[] = []
  const pattern = /\s*(?:"([^"]*)"|'([^']*)')\s*([+|]|$)|([^+|]*)([+|]|$)/gy
  while (pattern.lastIndex < text.length || found.at(-1)?.endsWith !== '') {
    const [, double, single, afterQuote, bare = '', after = ''] = pattern.exec(text)!
    const named = double ?? bare
    if (single === undefined && named === '')
      throw new OperatorError(`${option}: expected a column or a text in quotes on both sides of + and |`)
    const piece = single === undefined ? pieceOf(named, double !== undefined) : { text: single }
    found.push({ piece, endsWith: afterQuote ?? after })
  }
  return found
}

/** A shell takes double quotes away, so that they cannot tell a column from a text: what has no letter and no digit is a text. */
function pieceOf(named: string, isQuoted: boolean): Piece {
  if (!DIGIT_OR_LETTER.test(named)) return { text: named }
  return { column: isQuoted ? named : named.trim() }
}
