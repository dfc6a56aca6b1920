/*
 * Converts rows of a file to records of the wire: names, dates, numbers, and values for empty cells. This is done here and not by the
 * service, whose contract stays as it is (docs/decisions/0123-import-formats.md).
 */
import { lineFields } from '../../engine/ingest/order.ts'
import { InvalidValue, type RecordFields } from '../../engine/ingest/record.ts'
import { parseAmount } from '../../engine/points/arithmetic.ts'
import { attributesReader, isAttributesField } from './attribute-columns.ts'
import { checkColumns, createUnknownNames, warnOfColumns } from './check-columns.ts'
import type { RecordIssue } from './collect-field-issues.ts'
import { dateReader } from './date-format.ts'
import {
  type CompiledFormula,
  compileFormula,
  isBlank,
  meaningIn,
  type NumberReader,
  pointNumber,
  type SourceRow,
  signedAmountOf,
} from './formula.ts'
import { CUSTOMERS } from './import-record.ts'
import { leaveOutIssues, leaveOutLine, type Mapped } from './leave-out-or-ignore.ts'
import {
  DATES,
  DISCOUNT,
  type FieldFormula,
  ISO_DATE,
  LINE_PREFIX,
  type MappingOptions,
  type MappingRules,
  NUMBERS,
  numberOf,
  ORDER_KEY,
  ORDER_TIME,
  orderOfPlayerFields,
  PLAYER_KEY,
  readMappingOptions,
  SUMS,
} from './mapping-options.ts'
import { type SameIdHints, UPDATE_TIME } from './oldest-first.ts'
import { sameIdHintsOf } from './same-id-hints.ts'

export type RecordMapping = Readonly<{
  /** How to read the rows of a table whose first line has these columns. Errors: OperatorError if a field has no column: every record would be skipped. */
  forTable: (columns: readonly string[]) => RowReaders
  /** The same for a table of players. */
  forPlayers: (columns: readonly string[]) => PlayerRowReaders
  /** How to read records of JSON, each of which has its own names. */
  forRecords: () => RowReaders
  isOfOrders: boolean
  isOfPlayers: boolean
  /** Whether what is empty replaces what is filled. */
  keepsEmpty: boolean
  /** Whether several rows make one order. */
  hasLines: boolean
  /** The columns of the fields of an order, except its id. */
  orderColumns: readonly OrderColumn[]
  /** What to do about two orders under one number, by the names of the file. */
  sameIdHints: SameIdHints
  /** The columns that only ids of orders and players come from; none with a preset, which knows what its files have in them. */
  idColumns: readonly string[]
  /** The columns that a field comes from. */
  columnsOf: (target: string) => readonly string[]
  /** All that was refunded of an order, in 1/10,000; 0 where nothing says so. Errors: InvalidValue. */
  readRefund: (row: SourceRow) => bigint
  /** The amount in a cell, in 1/10,000; undefined if it is empty. Errors: InvalidValue. */
  readAmount: (cell: unknown) => bigint | undefined
  /** The zone in which moments have been read that name none; undefined if there was none so far. */
  assumedZone: () => string | undefined
  /** Whether a row is a record at all. */
  isRecord: (row: SourceRow) => boolean
  /** The columns of which one has a value in each row that is a record; none if every row is one. */
  recordColumns: readonly string[]
  /** Puts the values of --default into a record that has the wire's names already. */
  fill: (record: SourceRow) => SourceRow
}>

export type RowReaders = Readonly<{
  /** The id of the order that a row belongs to. */
  readId: (row: SourceRow) => unknown
  read: (row: SourceRow) => Mapped
  /** The line of an order in a row; undefined if there is none. */
  readLine: (row: SourceRow) => Mapped | undefined
}>

/** How the rows of a table are read that make one player. */
export type PlayerRowReaders = Readonly<{
  fields: readonly string[]
  /** The id of the player, and which of the columns it may come from has it: the lower `rank`, the better known is the player. */
  readId: (row: SourceRow) => Readonly<{ id: unknown; rank: number }>
  /** The version of the player's state, where it has one. */
  readVersion: (row: SourceRow) => unknown
  /** Whether the table has a column that says when. */
  isDated: boolean
  /** The columns that say when the order was placed; where there is none, when it was updated. */
  timeColumns: readonly string[]
  /** The columns of the name, e-mail address and phone number. */
  contactColumns: readonly string[]
  /** The id of the order that a row is about. */
  readOrder: (row: SourceRow) => unknown
  /** When the order was updated, else placed, in UTC to the second: empty if the row does not say, or says it in another way, which is an issue. */
  readTime: (row: SourceRow) => Readonly<{ at: string; issues: readonly RecordIssue[] }>
  /** The fields that a row has a value of, without those of --default. */
  filled: (row: SourceRow) => readonly string[]
  /** A player of whom each field comes from a row of its own. */
  readFrom: (rowOf: (field: string) => SourceRow) => Mapped
}>

/** How the cells of a column in the rows of an order become one. */
export type OrderColumn = Readonly<{
  field: string
  column: string
  rows: FieldFormula['rows']
  /** Whether adding up could have been meant. */
  canBeSum: boolean
  /** Whether the wire wants it from 0 although files may write it below 0. */
  isReduction: boolean
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
  /** Whether an empty text counts as no value. */
  emptyIsAbsent: boolean
}>

const PHONE = 'Phone'
const CONTACTS = ['Name', 'Email', PHONE]
const CODES = [PHONE, 'Pincode', 'product_sku_id', 'products.product_sku_id']
const QUANTITY = 'products.qty'
const REFUNDED = 'products.refunded'
const UNDATED =
  'expected the time of the order, as an empty cell would mean now; --default ordered_at=2026-01-31T12:00:00Z fills empty cells'
const UNCOUNTED = 'expected a quantity, as an empty cell would mean 1; --default products.qty=1 fills empty cells'

/** Prepares the mapping that the options describe; `note` is told what is hardly meant in the columns of a file. Errors: OperatorError. */
export function createRecordMapping(
  recordType: string,
  fields: RecordFields,
  options: MappingOptions,
  note: (text: string) => void,
): RecordMapping {
  const rules = readMappingOptions(recordType, fields, options)
  const { preset, formulas, mappedFields, defaults, meanings, converters, leaveOut, toNumber, hasLines } = rules
  const recordReaders = fieldReaders(fields, '', rules).filter(({ wire }) => !(hasLines && wire === 'products'))
  const lineReaders = hasLines ? fieldReaders(lineFields, LINE_PREFIX, rules) : []
  const isPlain = formulas.size + defaults.size + converters.size + meanings.size + leaveOut.size === 0
  const warnOfUnknown =
    preset === undefined
      ? createUnknownNames(fields, rules, recordType === 'players' ? orderOfPlayerFields : {}, note)
      : () => undefined
  const refunds = refundsOf(rules)
  const needed = preset?.onlyWith
  // A field that was mapped by hand comes from columns that the preset does not know.
  const onlyWith = needed === undefined || mappedFields.has(needed) ? undefined : formulas.get(needed)
  const lineColumns = [...formulas].flatMap(([target, { columns }]) => (target.startsWith(LINE_PREFIX) ? columns : []))
  const readWhole = (readers: readonly FieldReader[], row: SourceRow): Mapped => readFields(readers, () => row)
  const valueReader = (readers: readonly FieldReader[], wanted: string) => {
    const ofField = readers.filter(({ wire }) => wire === wanted)
    return (row: SourceRow) => readWhole(ofField, row).record[wanted]
  }
  const playerReaders = (columns: readonly string[]): PlayerRowReaders => {
    const ofPlayer = recordReaders.map(ofCell)
    const ofOrder = fieldReaders(orderOfPlayerFields, '', rules).map(ofCell)
    const { readInstant } = dateReader(ISO_DATE, 'UTC')
    const readKey = valueReader(ofPlayer, PLAYER_KEY)
    const keyColumns = sourcesOf(PLAYER_KEY)
    const hasSource = (target: string) => sourcesOf(target).some((column) => columns.includes(column))
    const timed = [ORDER_TIME, UPDATE_TIME].find(hasSource)
    const ofTime = ofOrder
      .filter(({ wire }) => wire !== ORDER_KEY)
      .map((reader) => (reader.convert === asItIs ? { ...reader, convert: readInstant } : reader))
    return {
      fields: ofPlayer.map(({ wire }) => wire),
      readId: (row) => {
        const id = readKey(row)
        const column = isBlank(id) ? -1 : keyColumns.findIndex((one) => !isBlank(row[one]))
        return { id, rank: column === -1 ? keyColumns.length : column }
      },
      readVersion: valueReader(ofPlayer, 'State_version'),
      isDated: ofTime.some(({ target }) => hasSource(target)),
      timeColumns: timed === undefined ? [] : sourcesOf(timed),
      contactColumns: CONTACTS.flatMap(sourcesOf),
      readOrder: valueReader(ofOrder, ORDER_KEY),
      readTime: (row) => {
        const { record, issues } = readWhole(ofTime, row)
        const at = issues.length === 0 ? (record[UPDATE_TIME] ?? record[ORDER_TIME]) : undefined
        return { at: typeof at === 'string' ? at : '', issues }
      },
      filled: (row) => ofPlayer.filter((reader) => !isBlank(findValue(reader, row))).map(({ wire }) => wire),
      readFrom: (rowOf) => leaveOutIssues(leaveOut, fields, readFields(ofPlayer, rowOf)),
    }
  }
  const sourcesOf = (target: string) => formulas.get(target)?.columns ?? [target]
  const check = (columns: readonly string[]) => {
    checkColumns(recordType, rules, fields, columns, options.dryRun === true)
    warnOfColumns(rules, fields, columns, note)
    warnOfUnknown(columns)
  }
  /** `hasSource` tells whether a row has a column, or a record a name, for a field. */
  const rowReaders = (
    ofRecord: readonly FieldReader[],
    ofLine: readonly FieldReader[],
    hasSource: (row: SourceRow, target: string) => boolean,
  ): RowReaders => {
    const isDated = (row: SourceRow) => recordType === 'orders' && hasSource(row, ORDER_TIME)
    return {
      readId: valueReader(ofRecord, ORDER_KEY),
      read: (row) => {
        const mapped = readWhole(ofRecord, row)
        return leaveOutIssues(
          leaveOut,
          fields,
          isDated(row) ? refuseEmpty(mapped, ORDER_TIME, ORDER_TIME, UNDATED) : mapped,
        )
      },
      readLine: (row) => {
        // Values of --default alone do not make a line.
        if (lineColumns.length > 0 && lineColumns.every((column) => isBlank(row[column]))) return undefined
        const mapped = readWhole(ofLine, row)
        if (Object.keys(mapped.record).length === 0) return undefined
        const isCounted = isBlank(mapped.record.product_sku_id) || !hasSource(row, QUANTITY)
        const line = isCounted ? mapped : refuseEmpty(mapped, 'qty', QUANTITY, UNCOUNTED)
        return leaveOut.has('products') ? leaveOutLine(line) : line
      },
    }
  }
  return {
    forTable: (columns) => {
      check(columns)
      return rowReaders(recordReaders.map(ofCell), lineReaders.map(ofCell), (row, target) =>
        sourcesOf(target).some((column) => Object.hasOwn(row, column)),
      )
    },
    forPlayers: (columns) => {
      check(columns)
      return playerReaders(columns)
    },
    forRecords: () => {
      const isMapped = (_: SourceRow, target: string) => (formulas.get(target)?.columns.length ?? 0) > 0
      const { readId, read, readLine } = rowReaders(recordReaders, lineReaders, isMapped)
      const warned =
        <Found>(reader: (row: SourceRow) => Found) =>
        (row: SourceRow) => {
          warnOfUnknown(Object.keys(row))
          return reader(row)
        }
      if (hasLines) return { readId: warned(readId), read, readLine }
      return { readId, read: warned(isPlain ? (record) => ({ record, issues: [] }) : read), readLine }
    },
    isOfOrders: recordType === 'orders',
    isOfPlayers: recordType === 'players',
    keepsEmpty: options.blank === true,
    hasLines,
    orderColumns: hasLines ? orderColumnsOf(recordReaders, rules) : [],
    readRefund: (row) => parseAmount(String(refunds?.read(row) ?? '0')) ?? 0n,
    sameIdHints: sameIdHintsOf(rules),
    idColumns: preset === undefined ? idColumnsOf([...recordReaders, ...lineReaders], sourcesOf) : [],
    columnsOf: sourcesOf,
    readAmount: (cell) => signedAmountOf(cell, toNumber),
    assumedZone: () => rules.instantReader?.assumedZone(),
    isRecord: (row) => onlyWith === undefined || !isBlank(onlyWith.read(row)),
    recordColumns: onlyWith?.columns ?? [],
    fill: (record) => {
      const empty = [...defaults].filter(([target]) => !target.startsWith(LINE_PREFIX) && isBlank(record[target]))
      return empty.length === 0 ? record : { ...record, ...Object.fromEntries(empty) }
    },
  }
}

/** The readers of these fields, which take values from JSON as they are. */
function fieldReaders(
  fields: RecordFields,
  prefix: string,
  { formulas, converters, meanings, defaults }: MappingRules,
): readonly FieldReader[] {
  return Object.values(fields).map(({ wire, required }) => {
    const target = `${prefix}${wire}`
    const formula = formulas.get(target)
    const convert = formula?.isNumber === true ? computed : (converters.get(target) ?? asItIs)
    const readColumn = (row: SourceRow) => (prefix === '' && Object.hasOwn(row, wire) ? row[wire] : undefined)
    return {
      ...{ target, wire, required },
      find: isAttributesField(target) ? attributesReader(target, formulas) : (formula?.read ?? readColumn),
      convert,
      means: Object.fromEntries(meanings.get(target) ?? []),
      fallback: defaults.get(target),
      emptyIsAbsent: false,
    }
  })
}

const asItIs = (value: unknown): unknown => value
/** What a formula has computed is written as on the wire. */
const computed: NumberReader = (value) => value

/**
 * The reader of a field from the cells of a table, where a number may carry its currency. A row cannot leave out a field, so an empty cell counts as
 * absent if the field is optional.
 */
function ofCell(reader: FieldReader): FieldReader {
  const { target, required, find, convert } = reader
  return {
    ...reader,
    convert: convert === asItIs && NUMBERS.includes(target) ? numberOf(target, pointNumber) : convert,
    find: (row) => {
      const value = find(row)
      return typeof value === 'string' ? tidyCell(target, value) : value
    },
    emptyIsAbsent: !required,
  }
}

/** What the file says about a field, in the words of the wire. */
function findValue({ means, find }: FieldReader, row: SourceRow): unknown {
  return meaningIn(means, find(row))
}

/** Reads each field from its row. */
function readFields(readers: readonly FieldReader[], rowOf: (field: string) => SourceRow): Mapped {
  const record: Record<string, unknown> = {}
  const issues: RecordIssue[] = []
  const datesInFile: Record<string, string> = {}
  for (const reader of readers) {
    const { target, wire, convert, fallback, emptyIsAbsent } = reader
    let value: unknown
    try {
      value = findValue(reader, rowOf(wire))
      const original = value
      value = isBlank(original) ? (fallback ?? original) : convert(original)
      if (DATES.includes(target) && typeof original === 'string' && value !== original) datesInFile[wire] = original
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      issues.push({ field: target, error: error.message })
    }
    if (value !== undefined && !(emptyIsAbsent && value === '')) record[wire] = value
  }
  return Object.keys(datesInFile).length === 0 ? { record, issues } : { record, issues, datesInFile }
}

/** A record in which an empty cell is an issue, as the service would take it for something that the file does not say. */
function refuseEmpty(mapped: Mapped, wire: string, target: string, error: string): Mapped {
  const { record, issues } = mapped
  if (!isBlank(record[wire]) || issues.some(({ field }) => field === target)) return mapped
  // Without its empty text, the service would accept the record from the file of skipped ones as it is.
  return { ...mapped, record: { ...record, [wire]: '' }, issues: [...issues, { field: target, error }] }
}

/**
 * Blanks around a cell are never intended, a slash separates the parts of a phone number as a blank does, and no code begins with the apostrophe of
 * spreadsheets: `'LS1 4DY`.
 */
function tidyCell(target: string, cell: string): string {
  const tidy = (target === PHONE ? cell.replaceAll('/', ' ') : cell).trim()
  return CODES.includes(target) ? tidy.replace(/^'/, '') : tidy
}

function idColumnsOf(
  readers: readonly FieldReader[],
  sourcesOf: (target: string) => readonly string[],
): readonly string[] {
  const isId = ({ target }: FieldReader) => [ORDER_KEY, ...CUSTOMERS].includes(target)
  const others = new Set(readers.filter((reader) => !isId(reader)).flatMap(({ target }) => sourcesOf(target)))
  return readers.filter(isId).flatMap(({ target }) => sourcesOf(target).filter((column) => !others.has(column)))
}

/** Where the refund of a whole order comes from; undefined where nothing says so, or --map has that of lines. */
function refundsOf({ preset, mappedFields, toNumber }: MappingRules): CompiledFormula | undefined {
  if (preset?.refunds === undefined || mappedFields.has(REFUNDED)) return undefined
  return compileFormula({ sum: [preset.refunds] }, toNumber, '--preset')
}

/** The columns of the fields of an order. One that several fields come from is listed once, as the rows differ in it once. */
function orderColumnsOf(readers: readonly FieldReader[], rules: MappingRules): readonly OrderColumn[] {
  const { formulas, mappedFields } = rules
  const all = readers
    .filter(({ wire }) => wire !== ORDER_KEY)
    .flatMap(({ wire: field }) => {
      const { columns, rows } = formulas.get(field) ?? { columns: [field], rows: 'same' as const }
      const canBeSum = SUMS.includes(field) && (mappedFields.has(field) || !formulas.has(field))
      return columns.map((column) => ({ field, column, rows, canBeSum, isReduction: field === DISCOUNT }))
    })
  for (const column of refundsOf(rules)?.columns ?? [])
    all.push({ field: REFUNDED, column, rows: 'same', canBeSum: false, isReduction: false })
  return [...new Map(all.toReversed().map((one) => [`${one.rows} ${one.column}`, one])).values()].toReversed()
}
