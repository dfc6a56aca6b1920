/*
 * Converts rows of a file to records of the wire: names, dates, numbers, and values for empty cells. This is done here and not by the
 * service, whose contract stays as it is (docs/decisions/0123-files-as-people-have-them.md).
 */
import { OperatorError } from '../../errors.ts'
import { lineFields } from '../../ingest/order.ts'
import { InvalidValue, type RecordFields } from '../../ingest/record.ts'
import { shown } from '../../ingest/shown.ts'
import { findNearestName, mapOption, missingColumnsText, sumOption } from './column-names.ts'
import { dateReader } from './date-format.ts'
import type { RecordFault } from './every-field-fault.ts'
import {
  type CompiledFormula,
  commaNumber,
  compileFormula,
  type Formula,
  isBlank,
  isComputed,
  meaningIn,
  type NumberReader,
  parseRowsFormula,
  pointNumber,
  type RowsFormula,
  type SourceRow,
  signedAmountOf,
  sumCell,
} from './formula.ts'
import { leaveOutFaults, leaveOutLine, type Mapped, readLeaveOut } from './leave-out.ts'
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
  /** Says what would happen, so a file is read on if only settings of the shop stand in its way. */
  dryRun?: true
}>

export type RecordMapping = Readonly<{
  /** Checks the first line of a table. Errors: OperatorError if a field has no column: every record would be skipped. */
  checkColumns: (columns: readonly string[]) => void
  /** Whether several rows make one order. */
  hasLines: boolean
  /** The columns of the fields of an order, except its id. */
  orderColumns: readonly OrderColumn[]
  /** The id of the order that a row belongs to. */
  readId: (row: SourceRow) => unknown
  /** The amount in a cell, in 1/10,000; undefined if it is empty. Errors: InvalidValue. */
  readAmount: (cell: unknown) => bigint | undefined
  /** Whether a row is a record at all. */
  isRecord: (row: SourceRow) => boolean
  /** The columns of which one has a value in each row that is a record; none if every row is one. */
  recordColumns: readonly string[]
  read: (row: SourceRow) => Mapped
  /** The line of an order in a row; undefined if there is none. */
  readLine: (row: SourceRow) => Mapped | undefined
  /** Puts the values of --default into a record that has the wire's names already. */
  fill: (record: SourceRow) => SourceRow
}>

/** How the cells of a column in the rows of an order become one: they have to be the same, are added up, or the first one counts. */
export type OrderColumn = Readonly<{
  field: string
  column: string
  rows: 'same' | RowsFormula['rows']
  /** Whether adding up could have been meant. */
  canBeSum: boolean
}>

/** A field of the wire, and how it is read from a row. */
type FieldReader = Readonly<{
  target: string
  wire: string
  required: boolean
  find: (row: SourceRow) => unknown
  convert: (value: unknown) => unknown
  /** What words of the file mean. */
  means: Readonly<Record<string, string>>
  fallback: string | undefined
}>

/** `products.qty` is a field of a line. */
const LINE_PREFIX = 'products.'
const NUMBERS = ['total_amount', 'discount', 'total_qty', 'amount', 'points', 'products.amount', 'products.qty']
/** What the rows of an order may be added up to. */
const SUMS = ['total_amount', 'discount', 'total_qty']
const DATE = 'DOB'
const PHONE = 'Phone'
const MOMENTS = ['ordered_at', 'fulfilled_at']
/** The one field that every shop requires of players. */
const KEY = 'User_id'
const ORDER_KEY = 'order_id'
const ORDER_TIME = 'ordered_at'
const QUANTITY = 'products.qty'
const UNDATED =
  'expected when the order was placed, as an empty cell would mean now; --default ordered_at=2026-01-31T12:00:00Z fills empty cells'
const UNCOUNTED = 'expected a quantity, as an empty cell would mean 1; --default products.qty=1 fills empty cells'
const ISO = 'YYYY-MM-DD'
const UNKNOWN_NAMED_MAX = 20

/** Prepares the mapping that the options describe. Errors: OperatorError. */
export function createRecordMapping(noun: string, fields: RecordFields, options: MappingOptions): RecordMapping {
  const preset = options.preset === undefined ? undefined : findPreset(options.preset, noun)
  const targets = targetsOf(noun, fields)
  const toNumber = numberReader(options.decimal)
  const defaults = defaultsOf(options, targets, toNumber)
  const written = assignmentsOf('--map', options.map ?? [], targets)
  const meanings = meaningsOf(options.values ?? [], targets)
  const leaveOut = readLeaveOut(options.leaveOut ?? [], fields, KEY)
  const formulas = compileAll(noun, preset, written, toNumber)
  const hasLines = [...formulas.keys()].some((target) => target.startsWith(LINE_PREFIX))
  for (const [target, formula] of written)
    if (!hasLines && formulas.get(target)?.rows !== 'same')
      throw new OperatorError(
        `--map ${target}=${formula} is about the rows of an order: map a field of their lines, too, such as --map products.product_sku_id=...`,
      )
  if (hasLines && written.has('products'))
    throw new OperatorError('--map has products and fields of its lines: expected one of the two')
  const converters = convertersOf(options, preset, toNumber)
  const readersOf = (table: RecordFields, prefix: string): readonly FieldReader[] =>
    Object.values(table).map(({ wire, required }) => {
      const target = `${prefix}${wire}`
      const formula = formulas.get(target)
      const convert = formula?.isNumber === true ? undefined : converters.get(target)
      const own = (row: SourceRow) => (prefix === '' && Object.hasOwn(row, wire) ? row[wire] : undefined)
      return {
        ...{ target, wire, required },
        find: formula?.read ?? own,
        convert: convert ?? ((value) => value),
        means: Object.fromEntries(meanings.get(target) ?? []),
        fallback: defaults.get(target),
      }
    })
  const recordReaders = readersOf(fields, '').filter(({ wire }) => !(hasLines && wire === 'products'))
  const lineReaders = hasLines ? readersOf(lineFields, LINE_PREFIX) : []
  const idReaders = recordReaders.filter(({ wire }) => wire === ORDER_KEY)
  const isPlain = formulas.size + defaults.size + converters.size + meanings.size + leaveOut.size === 0
  const used = new Set([...formulas.values()].flatMap(({ columns }) => columns))
  const warnOfUnknown = preset === undefined ? createUnknownNames(fields, used, formulas) : () => undefined
  const needed = preset?.onlyWith
  // A field that was mapped by hand comes from columns that the preset does not know.
  const onlyWith = needed === undefined || written.has(needed) ? undefined : formulas.get(needed)
  const prepared = withoutApostrophes(preset?.withApostrophe ?? [])
  const lineColumns = [...formulas].flatMap(([target, { columns }]) => (target.startsWith(LINE_PREFIX) ? columns : []))
  let isTable = false
  /** Whether a row has a column, or a record a name, for a field. */
  const hasSource = (row: SourceRow, target: string) => {
    const columns = formulas.get(target)?.columns
    if (columns === undefined) return isTable && Object.hasOwn(row, target)
    return columns.some((column) => !isTable || Object.hasOwn(row, column))
  }
  return {
    hasLines,
    orderColumns: hasLines ? orderColumnsOf(recordReaders, formulas, written) : [],
    readId: (row) => {
      if (!isTable) warnOfUnknown(Object.keys(row))
      return readFields(idReaders, prepared(row), isTable).record[ORDER_KEY]
    },
    readAmount: (cell) => signedAmountOf(cell, toNumber),
    checkColumns: (columns) => {
      isTable = true
      checkWritten([...written.keys()], formulas, columns)
      checkFilled({ noun, fields, formulas, defaults, hasLines, preset, dryRun: options.dryRun === true }, columns)
      warnOfUnknown(columns)
    },
    isRecord: (row) => onlyWith === undefined || !isBlank(onlyWith.read(row)),
    recordColumns: onlyWith?.columns ?? [],
    read: (row) => {
      if (!isTable && !hasLines) warnOfUnknown(Object.keys(row))
      if (isPlain && !isTable) return { record: row, faults: [] }
      const mapped = readFields(recordReaders, prepared(row), isTable)
      const dated = hasSource(row, ORDER_TIME) ? refuseEmpty(mapped, ORDER_TIME, ORDER_TIME, UNDATED) : mapped
      return leaveOutFaults(leaveOut, fields, dated)
    },
    readLine: (row) => {
      // Values of --default alone do not make a line.
      if (lineColumns.length > 0 && lineColumns.every((column) => isBlank(row[column]))) return undefined
      const mapped = readFields(lineReaders, prepared(row), isTable)
      if (Object.keys(mapped.record).length === 0) return undefined
      const isCounted = isBlank(mapped.record.product_sku_id) || !hasSource(row, QUANTITY)
      const line = isCounted ? mapped : refuseEmpty(mapped, 'qty', QUANTITY, UNCOUNTED)
      return leaveOut.has('products') ? leaveOutLine(line) : line
    },
    fill: (record) => {
      const empty = [...defaults].filter(([target]) => !target.startsWith(LINE_PREFIX) && isBlank(record[target]))
      return empty.length === 0 ? record : { ...record, ...Object.fromEntries(empty) }
    },
  }
}

function readFields(readers: readonly FieldReader[], row: SourceRow, isTable: boolean): Mapped {
  const record: Record<string, unknown> = {}
  const faults: RecordFault[] = []
  for (const { target, wire, required, find, means, convert, fallback } of readers) {
    let value: unknown
    try {
      const found = find(row)
      // Values from JSON are taken as they are.
      value = meaningIn(means, isTable && typeof found === 'string' ? tidyCell(target, found) : found)
      value = isBlank(value) ? (fallback ?? value) : convert(value)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      faults.push({ field: target, error: error.message })
    }
    // A row cannot leave out a field, so an empty cell counts as absent if the field is optional.
    if (value !== undefined && (value !== '' || required || !isTable)) record[wire] = value
  }
  return { record, faults }
}

/** A record in which an empty cell is a fault, as the service would take it for something that the file does not say. */
function refuseEmpty({ record, faults }: Mapped, wire: string, target: string, error: string): Mapped {
  if (!isBlank(record[wire]) || faults.some(({ field }) => field === target)) return { record, faults }
  // Without its empty text, the service would accept the record from the file of skipped ones as it is.
  return { record: { ...record, [wire]: '' }, faults: [...faults, { field: target, error }] }
}

/** Blanks around a cell are never intended, and a slash separates the parts of a phone number as a blank does. */
function tidyCell(target: string, cell: string): string {
  return (target === PHONE ? cell.replaceAll('/', ' ') : cell).trim()
}

type WireFormula = CompiledFormula & Readonly<{ isNumber: boolean; rows: OrderColumn['rows'] }>

/** The formula of each field that has one: --map takes precedence over the preset. Errors: OperatorError. */
function compileAll(
  noun: string,
  preset: Preset | undefined,
  written: ReadonlyMap<string, string>,
  toNumber: NumberReader,
): ReadonlyMap<string, WireFormula> {
  const compiled = (formula: Formula, option: string): WireFormula => ({
    ...compileFormula(formula, toNumber, option),
    isNumber: isComputed(formula),
    rows: 'same',
  })
  const typed = (target: string, text: string): WireFormula => {
    const option = `--map ${target}=${text}`
    const ofRows = noun === 'orders' && !target.startsWith(LINE_PREFIX) ? parseRowsFormula(text) : undefined
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
    ...[...written].map(([target, text]) => [target, typed(target, text)] as const),
  ])
}

/** The columns of the fields of an order. One that several fields come from is listed once, as the rows differ in it once. */
function orderColumnsOf(
  readers: readonly FieldReader[],
  formulas: ReadonlyMap<string, WireFormula>,
  written: ReadonlyMap<string, string>,
): readonly OrderColumn[] {
  const all = readers
    .filter(({ wire }) => wire !== ORDER_KEY)
    .flatMap(({ wire: field }) => {
      const { columns, rows } = formulas.get(field) ?? { columns: [field], rows: 'same' as const }
      const canBeSum = SUMS.includes(field) && (written.has(field) || !formulas.has(field))
      return columns.map((column) => ({ field, column, rows, canBeSum }))
    })
  return [...new Map(all.toReversed().map((one) => [`${one.rows} ${one.column}`, one])).values()].toReversed()
}

/** How the values of some fields are rewritten. */
function convertersOf(
  { dateFormat, timeZone, decimal }: MappingOptions,
  preset: Preset | undefined,
  toNumber: NumberReader,
): ReadonlyMap<string, (value: unknown) => unknown> {
  const converters = new Map<string, (value: unknown) => unknown>()
  const format = dateFormat ?? preset?.dateFormat
  if (dateFormat !== undefined) converters.set(DATE, dateReader(dateFormat, 'UTC').readDate)
  if (format !== undefined || timeZone !== undefined)
    for (const field of MOMENTS) converters.set(field, dateReader(format ?? ISO, timeZone ?? 'UTC').readMoment)
  if (decimal !== undefined || preset !== undefined) for (const target of NUMBERS) converters.set(target, toNumber)
  return converters
}

function numberReader(decimal = 'point'): NumberReader {
  if (decimal === 'comma') return commaNumber
  if (decimal === 'point') return pointNumber
  throw new OperatorError(`--decimal is "${decimal}": expected comma or point`)
}

function targetsOf(noun: string, fields: RecordFields): readonly string[] {
  const lines = noun === 'orders' ? Object.values(lineFields).map(({ wire }) => `${LINE_PREFIX}${wire}`) : []
  return [...Object.values(fields).map(({ wire }) => wire), ...lines]
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
          `--values is "${text}": expected a word of the file, a colon and what it means, like Gender=Frau:female,Herr:male`,
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
  const given = assignmentsOf('--default', options.default ?? [], targets)
  if (options.decimal !== 'comma') return given
  return new Map(
    [...given].map(([target, value]) => {
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
  const found = new Map<string, string>()
  for (const text of texts) {
    const [target, value] = assignment(option, text, targets)
    if (found.has(target)) throw new OperatorError(`${option} ${target} is given twice: leave one of them out`)
    found.set(target, value)
  }
  return found
}

/** Splits `Country=DE` into a field and its value. Errors: OperatorError. */
function assignment(option: string, text: string, targets: readonly string[]): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new OperatorError(`${option} is "${text}": expected a field, = and what it is, like Country=...`)
  const target = text.slice(0, at)
  if (targets.includes(target)) return [target, text.slice(at + 1)]
  const nearest = findNearestName(target, targets)
  const hint = nearest === undefined ? `expected one of ${targets.join(', ')}` : `did you mean ${nearest}?`
  throw new OperatorError(`${option} ${text}: no record has a field ${shown(target)}; ${hint}`)
}

/** A row without the apostrophe that keeps spreadsheets from reading a text as a number. */
function withoutApostrophes(columns: readonly string[]): (row: SourceRow) => SourceRow {
  if (columns.length === 0) return (row) => row
  return (row) => {
    const cells = columns.flatMap((column) => {
      const cell = row[column]
      return typeof cell === 'string' && cell.startsWith("'") ? [[column, cell.slice(1)] as const] : []
    })
    return cells.length === 0 ? row : { ...row, ...Object.fromEntries(cells) }
  }
}

/** Errors: OperatorError if a formula of --map names a column that does not exist. */
function checkWritten(
  written: readonly string[],
  formulas: ReadonlyMap<string, WireFormula>,
  columns: readonly string[],
): void {
  for (const target of written)
    for (const column of formulas.get(target)!.columns) {
      if (columns.includes(column)) continue
      const nearest = findNearestName(column, columns)
      const option = formulas.get(target)!.rows === 'sum' ? sumOption : mapOption
      const hint = nearest === undefined ? '' : `; did you mean ${option(target, nearest)}?`
      throw new OperatorError(`--map ${target}: the first line has no column ${shown(column)}${hint}`)
    }
}

type Filling = Readonly<{
  noun: string
  fields: RecordFields
  formulas: ReadonlyMap<string, WireFormula>
  defaults: ReadonlyMap<string, string>
  hasLines: boolean
  preset: Preset | undefined
  dryRun: boolean
}>

/** Errors: OperatorError if a field that every record needs has no source. */
function checkFilled(
  { noun, fields, formulas, defaults, hasLines, preset, dryRun }: Filling,
  columns: readonly string[],
): void {
  const isThere = ({ columns: wanted }: CompiledFormula) =>
    wanted.length === 0 || wanted.some((column) => columns.includes(column))
  const lines = [...formulas].filter(([target]) => target.startsWith(LINE_PREFIX)).map(([, formula]) => formula)
  const isFilled = (wire: string) => {
    if (defaults.has(wire)) return true
    if (wire === 'products' && hasLines) return lines.some(isThere)
    const formula = formulas.get(wire)
    return formula === undefined ? columns.includes(wire) : isThere(formula)
  }
  const missing = Object.values(fields)
    .filter(({ required, wire }) => required && !isFilled(wire))
    .map(({ wire }) => wire)
  if (missing.length === 0) return
  const [only = ''] = columns
  const separator = columns.length === 1 ? /[;\t|]/.exec(only)?.[0] : undefined
  if (separator !== undefined) {
    const typed = separator === '\t' ? 'tab' : `"${separator}"`
    throw new OperatorError(
      `the first line has one column, ${shown(only)}; if its names are separated, write --delimiter ${typed}`,
    )
  }
  const ofPreset = missing.filter((wire) => formulas.has(wire) || (wire === 'products' && hasLines))
  if (preset !== undefined && ofPreset.length > 0) {
    const [wire = ''] = ofPreset
    const wanted = formulas.get(wire)?.columns ?? lines.flatMap((formula) => formula.columns)
    throw new OperatorError(
      `the preset reads ${wire} from ${wanted.map((column) => shown(column)).join(' or ')}, and the first line has no such column: it is for the export of ${preset.of}`,
    )
  }
  const canDoWithout = (wire: string) => wire !== KEY && findNearestName(wire, columns) === undefined
  if (dryRun && noun === 'players' && missing.every(canDoWithout)) return
  const otherWay = noun === 'players' ? (rest: readonly string[]) => requireLess(fields, rest) : undefined
  throw new OperatorError(missingColumnsText(missing, columns, otherWay))
}

/** How to accept players without the missing fields (decision 70). */
function requireLess(fields: RecordFields, missing: readonly string[]): string {
  if (missing.every((wire) => wire === KEY)) return ''
  const kept = Object.values(fields).filter(({ required, wire }) => required && wire !== KEY && !missing.includes(wire))
  const list = kept.map(({ wire }) => wire).join() || '""'
  return `, or let players do without: npx laurel settings set players.required ${list} (--dry-run finds every such setting)`
}

/** Warns once of each name that no record has: it is mistyped, or another system's name for a field. */
function createUnknownNames(
  fields: RecordFields,
  used: ReadonlySet<string>,
  mapped: ReadonlyMap<string, unknown>,
): (names: readonly string[]) => void {
  const known = Object.values(fields).map(({ wire }) => wire)
  const expected = new Set([...known, ...used])
  const named = new Set<string>()
  return (names) => {
    if (named.size >= UNKNOWN_NAMED_MAX) return
    const unknown = names
      .filter((name) => !expected.has(name) && !named.has(name))
      .slice(0, UNKNOWN_NAMED_MAX - named.size)
    if (unknown.length === 0) return
    for (const name of unknown) named.add(name)
    const shownNames = unknown.map((name) => shown(name)).join(', ')
    const meant = known.flatMap((wire) => {
      const column = mapped.has(wire) || names.includes(wire) ? undefined : findNearestName(wire, unknown)
      return column === undefined ? [] : [mapOption(wire, column)]
    })
    const hint = meant.length === 0 ? '' : `; perhaps ${meant.join(' ')}`
    process.stderr.write(
      `laurel: ignored, as no record has such a field: ${shownNames}; expected ${known.join(', ')}${hint}\n`,
    )
  }
}
