/*
 * Reads the options of `laurel import` that say where the fields of a record come from, and the preset that they complete.
 */

import { key, timestamp } from '../../engine/ingest/fields.ts'
import { lineFields } from '../../engine/ingest/order.ts'
import { InvalidValue, optional, type RecordFields } from '../../engine/ingest/record.ts'
import { shown } from '../../engine/ingest/shown.ts'
import { UTC } from '../../engine/points/local-time.ts'
import { OperatorError } from '../../errors.ts'
import { isAttributeColumn, isAttributesField } from './attribute-columns.ts'
import { findNearestName } from './column-suggestions.ts'
import { type DateReader, dateReader } from './date-format.ts'
import {
  type CompiledFormula,
  commaNumber,
  compileFormula,
  type Formula,
  isComputed,
  type NumberReader,
  parseRowsFormula,
  pointNumber,
  type RowsFormula,
  reduction,
  sumCell,
} from './formula.ts'
import { readLeaveOut } from './leave-out-or-ignore.ts'
import { UPDATE_TIME } from './oldest-first.ts'
import { findPreset } from './presets/find-preset.ts'
import type { Preset } from './presets/preset-table.ts'

export type MappingOptions = Readonly<{
  preset?: string
  map?: readonly string[]
  default?: readonly string[]
  values?: readonly string[]
  leaveOut?: readonly string[]
  dateFormat?: string
  timeZone?: string
  decimal?: string
  /** Whether each row of a player replaces the whole record, its empty cells included. */
  blank?: true
  /** Says what would happen, so a file is read on if only settings of the shop stand in its way. */
  dryRun?: true
}>

/** What the options say, by the wire's names of the fields; those of lines begin with `products.`. */
export type MappingRules = Readonly<{
  preset: Preset | undefined
  formulas: ReadonlyMap<string, FieldFormula>
  /** The fields that --map names. */
  mappedFields: ReadonlySet<string>
  /** The values of --default. */
  defaults: ReadonlyMap<string, string>
  /** What words of the file mean. */
  meanings: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Reads moments, unless they are written as on the wire. */
  instantReader: DateReader | undefined
  /** How values are rewritten, unless a formula has computed them. */
  converters: ReadonlyMap<string, (value: unknown) => unknown>
  leaveOut: ReadonlySet<string>
  toNumber: NumberReader
  /** Whether several rows make one order. */
  hasLines: boolean
}>

/** A formula, and how the rows of an order become one: they have to be the same, are added up, or the first one counts. */
export type FieldFormula = CompiledFormula & Readonly<{ isNumber: boolean; rows: 'same' | RowsFormula['rows'] }>

/** `products.qty` is a field of a line. */
export const LINE_PREFIX = 'products.'
/** What the rows of an order may be added up to. */
export const SUMS = ['total_amount', 'discount', 'total_qty']
/** The one field that every shop requires of players. */
export const PLAYER_KEY = 'User_id'
export const ORDER_KEY = 'order_id'
export const ORDER_TIME = 'ordered_at'
/** What a row of a player may say about the order that it comes from, which is not sent: of several values that of the newest order counts. */
export const orderOfPlayerFields = {
  orderId: optional(ORDER_KEY, key, undefined),
  updatedAt: optional(UPDATE_TIME, timestamp, undefined),
  orderedAt: optional(ORDER_TIME, timestamp, undefined),
}
/** The fields of numbers, which a table may write in its own way. */
export const NUMBERS = [
  ...['total_amount', 'discount', 'total_qty', 'amount', 'points'],
  ...['products.amount', 'products.qty', 'products.refunded'],
]
export const DISCOUNT = 'discount'
const DATE = 'DOB'
const TIMESTAMP_FIELDS = [ORDER_TIME, 'fulfilled_at', UPDATE_TIME]
/** The fields that --date-format is about. */
export const DATES = [DATE, ...TIMESTAMP_FIELDS]
/** How dates are written, unless an option or a preset says otherwise. */
export const ISO_DATE = 'YYYY-MM-DD'

/** Errors: OperatorError if the options contradict each other, or name what does not exist. */
export function readMappingOptions(recordType: string, fields: RecordFields, options: MappingOptions): MappingRules {
  const preset = options.preset === undefined ? undefined : findPreset(options.preset, recordType)
  const targets = targetsOf(recordType, fields)
  const toNumber = numberReader(options.decimal)
  const defaults = defaultsOf(options, targets, toNumber)
  const mapped = assignmentsOf('--map', options.map ?? [], targets)
  const meanings = meaningsOf(options.values ?? [], targets)
  const leaveOut = readLeaveOut(options.leaveOut ?? [], fields, PLAYER_KEY)
  const formulas = compileAll(recordType, preset, mapped, toNumber)
  const hasLines = [...formulas.keys()].some((target) => target.startsWith(LINE_PREFIX))
  for (const [target, formula] of mapped)
    if (!hasLines && formulas.get(target)?.rows !== 'same')
      throw new OperatorError(
        `--map ${target}=${formula} is about the rows of an order: map a field of their lines, too, such as --map products.product_sku_id=...`,
      )
  if (hasLines && mapped.has('products'))
    throw new OperatorError('--map products and fields of its lines cannot be combined')
  const instantReader = createInstantReader(recordType, options, preset)
  const converters = convertersOf(options, preset, instantReader, toNumber)
  const mappedFields = new Set(mapped.keys())
  return { preset, formulas, mappedFields, defaults, meanings, instantReader, converters, leaveOut, toNumber, hasLines }
}

/** The formula of each field that has one: --map takes precedence over the preset. Errors: OperatorError. */
function compileAll(
  recordType: string,
  preset: Preset | undefined,
  assignments: ReadonlyMap<string, string>,
  toNumber: NumberReader,
): ReadonlyMap<string, FieldFormula> {
  const compiled = (formula: Formula, option: string): FieldFormula => ({
    ...compileFormula(formula, toNumber, option),
    isNumber: isComputed(formula),
    rows: 'same',
  })
  const typed = (target: string, text: string): FieldFormula => {
    const option = `--map ${target}=${text}`
    const ofRows = recordType === 'orders' && !target.startsWith(LINE_PREFIX) ? parseRowsFormula(text) : undefined
    if (ofRows === undefined) return compiled(text, option)
    if (ofRows.rows === 'first') return { ...compiled(ofRows.of, option), rows: 'first' }
    if (!SUMS.includes(target)) throw new OperatorError(`${option}: only ${SUMS.join(', ')} can be a sum`)
    const column = ofRows.of.trim().replace(/^"(.*)"$/s, '$1')
    return { columns: [column], read: (row) => row[sumCell(column)], isNumber: true, rows: 'sum' }
  }
  return new Map([
    ...Object.entries(preset?.fields ?? {}).map(
      ([target, formula]) => [target, compiled(formula, '--preset')] as const,
    ),
    ...[...assignments].map(([target, text]) => [target, typed(target, text)] as const),
  ])
}

/** How moments are read; undefined if the options say nothing about them. */
function createInstantReader(
  recordType: string,
  { dateFormat, timeZone }: MappingOptions,
  preset: Preset | undefined,
): DateReader | undefined {
  // In a table of players it may be that of dates of birth only, while a preset knows that of its orders.
  const format = recordType === 'players' ? (preset?.dateFormat ?? dateFormat) : (dateFormat ?? preset?.dateFormat)
  if (format === undefined && timeZone === undefined) return undefined
  return dateReader(format ?? ISO_DATE, timeZone ?? UTC)
}

/** How the values of some fields are rewritten. */
function convertersOf(
  { dateFormat, decimal }: MappingOptions,
  preset: Preset | undefined,
  instantReader: DateReader | undefined,
  toNumber: NumberReader,
): ReadonlyMap<string, (value: unknown) => unknown> {
  const converters = new Map<string, (value: unknown) => unknown>()
  if (dateFormat !== undefined) converters.set(DATE, dateReader(dateFormat, UTC).readDate)
  if (instantReader !== undefined)
    for (const field of TIMESTAMP_FIELDS) converters.set(field, instantReader.readInstant)
  if (decimal !== undefined || preset !== undefined)
    for (const target of NUMBERS) converters.set(target, numberOf(target, toNumber))
  return converters
}

/** How a number of the file becomes that of a field. */
export function numberOf(target: string, toNumber: NumberReader): NumberReader {
  return target === DISCOUNT ? (value) => reduction(toNumber(value)) : toNumber
}

function numberReader(decimal = 'point'): NumberReader {
  if (decimal === 'comma') return commaNumber
  if (decimal === 'point') return pointNumber
  throw new OperatorError(`--decimal is "${decimal}": expected comma or point`)
}

function targetsOf(recordType: string, fields: RecordFields): readonly string[] {
  const lines = recordType === 'orders' ? Object.values(lineFields).map(({ wire }) => `${LINE_PREFIX}${wire}`) : []
  const unsent = recordType === 'players' ? Object.values(orderOfPlayerFields).map(({ wire }) => wire) : []
  return [...Object.values(fields).map(({ wire }) => wire), ...lines, ...unsent]
}

/** What words of the file mean, by field: `Gender=Frau:female,Herr:male`. Errors: OperatorError. */
function meaningsOf(texts: readonly string[], targets: readonly string[]): ReadonlyMap<string, Map<string, string>> {
  const meanings = new Map<string, Map<string, string>>()
  for (const text of texts) {
    const [target, list] = assignment('--values', text, targets)
    const words = meanings.get(target) ?? new Map<string, string>()
    meanings.set(target, words)
    for (const pair of list.split(',')) {
      const at = pair.indexOf(':')
      if (at < 1)
        throw new OperatorError(
          `--values is "${text}": expected a word of the file, a colon and its meaning, like Gender=Frau:female,Herr:male`,
        )
      words.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
    }
  }
  return meanings
}

/** The values of --default; a number may be written as the file writes it, or with a decimal point. Errors: OperatorError. */
function defaultsOf(
  options: MappingOptions,
  targets: readonly string[],
  toNumber: NumberReader,
): ReadonlyMap<string, string> {
  const assignments = assignmentsOf('--default', options.default ?? [], targets)
  if (options.decimal !== 'comma') return assignments
  return new Map(
    [...assignments].map(([target, value]) => {
      if (!NUMBERS.includes(target) || !value.includes(',')) return [target, value]
      try {
        return [target, String(toNumber(value))]
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error
        throw new OperatorError(`--default ${target}: ${error.message}`, { cause: error })
      }
    }),
  )
}

/** What an option that may be given several times says about each field. Errors: OperatorError, also if it says two things about one. */
function assignmentsOf(
  option: string,
  texts: readonly string[],
  targets: readonly string[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const text of texts) {
    const [target, value] = assignment(option, text, targets)
    if (values.has(target)) throw new OperatorError(`${option} ${target} is given twice: leave one of them out`)
    values.set(target, value)
  }
  return values
}

/** Splits `Country=DE` into a field and its value. Errors: OperatorError. */
function assignment(option: string, text: string, targets: readonly string[]): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new OperatorError(`${option} is "${text}": expected a field, = and its value, like Country=...`)
  const target = text.slice(0, at)
  if (targets.includes(target) || (isAttributeColumn(target) && targets.some(isAttributesField)))
    return [target, text.slice(at + 1)]
  const nearest = findNearestName(target, targets)
  const hint = nearest === undefined ? `expected one of ${targets.join(', ')}` : `did you mean ${nearest}?`
  throw new OperatorError(`${option} ${text}: unknown field ${shown(target)}, ${hint}`)
}
