/*
 * From what a file holds to records of the wire: names, dates, numbers, and values for empty cells. It is done here and not by the service,
 * whose contract stays as it is (docs/decisions/0123-files-as-people-have-them.md).
 */
import { OperatorError } from '../../errors.ts'
import { lineFields } from '../../ingest/order.ts'
import { Misfit, type RecordFields } from '../../ingest/record.ts'
import { shown } from '../../ingest/shown.ts'
import { findNearestName, mapOption, missingColumnsText } from './column-names.ts'
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
  pointNumber,
  type SourceRow,
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
  /** Says what would happen, so a file goes on being read where only settings of the shop stand in its way. */
  dryRun?: true
}>

export type RecordMapping = Readonly<{
  /** Looks at the first line of a table. Errors: OperatorError where a field has no column: every record would be skipped. */
  checkColumns: (columns: readonly string[]) => void
  /** Whether the rows of one order make one order. */
  hasLines: boolean
  /** Whether a row is a record at all. */
  isRecord: (row: SourceRow) => boolean
  read: (row: SourceRow) => Mapped
  /** The line of an order that a row holds; undefined where it holds none. */
  readLine: (row: SourceRow) => Mapped | undefined
  /** Puts the values of --default into a record that bears the wire's names already. */
  fill: (record: SourceRow) => SourceRow
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
const DATE = 'DOB'
const PHONE = 'Phone'
const MOMENTS = ['ordered_at', 'fulfilled_at']
/** The one field that every shop requires of players. */
const KEY = 'User_id'
const ISO = 'YYYY-MM-DD'
const UNKNOWN_NAMED_MAX = 20

/** Prepares the mapping that the options describe. Errors: OperatorError. */
export function createRecordMapping(noun: string, fields: RecordFields, options: MappingOptions): RecordMapping {
  const preset = options.preset === undefined ? undefined : findPreset(options.preset, noun)
  const targets = targetsOf(noun, fields)
  const defaults = new Map((options.default ?? []).map((text) => assignment('--default', text, targets)))
  const written = new Map((options.map ?? []).map((text) => assignment('--map', text, targets)))
  const meanings = meaningsOf(options.values ?? [], targets)
  const leaveOut = readLeaveOut(options.leaveOut ?? [], fields, KEY)
  const toNumber = numberReader(options.decimal)
  const formulas = compileAll(preset, written, toNumber)
  const hasLines = [...formulas.keys()].some((target) => target.startsWith(LINE_PREFIX))
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
  const isPlain = formulas.size + defaults.size + converters.size + meanings.size + leaveOut.size === 0
  const used = new Set([...formulas.values()].flatMap(({ columns }) => columns))
  const warnOfUnknown = preset === undefined ? createUnknownNames(fields, used, formulas) : () => undefined
  const onlyWith = preset?.onlyWith === undefined ? undefined : compileFormula(preset.onlyWith, toNumber, '--preset')
  const prepared = withoutApostrophes(preset?.withApostrophe ?? [])
  let isTable = false
  return {
    hasLines,
    checkColumns: (columns) => {
      isTable = true
      checkWritten([...written.keys()], formulas, columns)
      checkFilled({ noun, fields, formulas, defaults, hasLines, preset, dryRun: options.dryRun === true }, columns)
      warnOfUnknown(columns)
    },
    isRecord: (row) => onlyWith === undefined || !isBlank(onlyWith.read(row)),
    read: (row) => {
      if (!isTable) warnOfUnknown(Object.keys(row))
      if (isPlain && !isTable) return { record: row, faults: [] }
      return leaveOutFaults(leaveOut, fields, readFields(recordReaders, prepared(row), isTable))
    },
    readLine: (row) => {
      const line = readFields(lineReaders, prepared(row), isTable)
      if (Object.keys(line.record).length === 0) return undefined
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
      // What JSON says is taken as it is.
      value = meaningIn(means, isTable && typeof found === 'string' ? tidyCell(target, found) : found)
      value = isBlank(value) ? (fallback ?? value) : convert(value)
    } catch (error) {
      if (!(error instanceof Misfit)) throw error
      faults.push({ field: target, error: error.message })
    }
    // A row cannot leave out a field, so an empty cell of an optional one is none.
    if (value !== undefined && (value !== '' || required || !isTable)) record[wire] = value
  }
  return { record, faults }
}

/** Blanks around a cell are never meant, and a slash parts a phone number as a blank does. */
function tidyCell(target: string, cell: string): string {
  return (target === PHONE ? cell.replaceAll('/', ' ') : cell).trim()
}

type WireFormula = CompiledFormula & Readonly<{ isNumber: boolean }>

/** The formula of each field that has one: those of --map before those of the preset. */
function compileAll(
  preset: Preset | undefined,
  written: ReadonlyMap<string, string>,
  toNumber: NumberReader,
): ReadonlyMap<string, WireFormula> {
  const compiled = (target: string, formula: Formula, option: string) =>
    [target, { ...compileFormula(formula, toNumber, option), isNumber: isComputed(formula) }] as const
  return new Map([
    ...Object.entries(preset?.fields ?? {}).map(([target, formula]) => compiled(target, formula, '--preset')),
    ...[...written].map(([target, formula]) => compiled(target, formula, `--map ${target}=${formula}`)),
  ])
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

/** `Country=DE` as a field and what is assigned to it. Errors: OperatorError. */
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

/** Errors: OperatorError where a formula of --map names a column that is not there. */
function checkWritten(
  written: readonly string[],
  formulas: ReadonlyMap<string, WireFormula>,
  columns: readonly string[],
): void {
  for (const target of written)
    for (const column of formulas.get(target)!.columns) {
      if (columns.includes(column)) continue
      const nearest = findNearestName(column, columns)
      const hint = nearest === undefined ? '' : `; did you mean ${mapOption(target, nearest)}?`
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

/** Errors: OperatorError where a field that every record needs comes from nowhere. */
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

/** How to let players do without the fields that are missing (decision 70). */
function requireLess(fields: RecordFields, missing: readonly string[]): string {
  if (missing.every((wire) => wire === KEY)) return ''
  const kept = Object.values(fields).filter(({ required, wire }) => required && wire !== KEY && !missing.includes(wire))
  const list = kept.map(({ wire }) => wire).join() || '""'
  return `, or let players do without: npx laurel settings set players.required ${list} (--dry-run finds every such setting)`
}

/** Warns of names that no record has, once each: they are mistyped, or those of another program for a field. */
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
      `laurel: ignored, for no record has such a field: ${shownNames}; expected ${known.join(', ')}${hint}\n`,
    )
  }
}
