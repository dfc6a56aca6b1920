import type { RecordIssue } from './collect-field-issues.ts'
import type { CreateSort } from './disk-sort.ts'
import { isBlank, type SourceRow } from './formula.ts'
import { type ImportRecord, isRow } from './import-record.ts'
import { type OnSorted, oldestFirst } from './oldest-first.ts'
import { createOrderRows, type RowOfOrder } from './order-rows.ts'
import { joinPlayerRows } from './player-rows.ts'
import type { PlayerRowReaders, RecordMapping } from './record-mapping.ts'
import type { FileRecord, RecordsSource } from './records-text.ts'

/** What is told while a file is read: a row that is no record; each row; one that is joined to another; the sorted orders, before the first is sent. */
export type ReadingEvents = Readonly<{
  onPassedOver: () => void
  onRow: () => void
  /** `isDated`: whether the newest order decides between its values. */
  onJoined: (isDated: boolean) => void
  /** Whether a record is left out. */
  isIgnored: (record: unknown) => boolean
  onSorted: OnSorted
}>

/**
 * The records of a file, mapped: orders oldest first, others in the order of the file. The rows of an order make one record if the mapping has lines;
 * they may be anywhere in the file.
 */
export function importRecords(
  source: RecordsSource,
  mapping: RecordMapping,
  events: ReadingEvents,
  createSort: CreateSort,
): AsyncIterable<ImportRecord> {
  const rows: Rows = (onColumns) => counted(source.read(onColumns, mapping.idColumns), events)
  const all = mapping.hasLines
    ? joinedRows(rows, mapping, createSort)
    : mapping.isOfPlayers && source.isTable
      ? joinedPlayers(rows, mapping, events, createSort)
      : mappedRows(rows, mapping, events)
  const records = withoutIgnored(all, events)
  return mapping.isOfOrders ? oldestFirst(records, events.onSorted, mapping.sameIdHints, createSort) : records
}

type Rows = (onColumns: (names: readonly string[]) => void) => AsyncIterable<FileRecord>

async function* counted(rows: AsyncIterable<FileRecord>, { onRow }: ReadingEvents): AsyncIterable<FileRecord> {
  for await (const row of rows) {
    onRow()
    yield row
  }
}

async function* withoutIgnored(
  records: AsyncIterable<ImportRecord>,
  { isIgnored }: ReadingEvents,
): AsyncIterable<ImportRecord> {
  for await (const record of records) if (!isIgnored(record.record)) yield record
}

async function* mappedRows(
  read: Rows,
  mapping: RecordMapping,
  { onPassedOver }: ReadingEvents,
): AsyncIterable<ImportRecord> {
  let readers = mapping.forRecords()
  const records = read((columns) => {
    readers = mapping.forTable(columns)
  })
  for await (const { line, record, issue } of records) {
    const structural = structuralIssues(issue)
    if (!isRow(record)) yield { line, record, issues: structural }
    else if (isSkippedEntry(record)) yield mendedRecord(line, record.record, mapping)
    else if (mapping.isRecord(record)) {
      const mapped = readers.read(record)
      yield { ...mapped, line, issues: issue === undefined ? mapped.issues : structural }
    } else onPassedOver()
  }
}

async function* joinedPlayers(
  read: Rows,
  mapping: RecordMapping,
  { onJoined }: ReadingEvents,
  createSort: CreateSort,
): AsyncIterable<ImportRecord> {
  let readers: PlayerRowReaders | undefined
  const rows = read((columns) => {
    readers = mapping.forPlayers(columns)
  })
  yield* joinPlayerRows(
    rows,
    () => readers!,
    mapping.keepsEmpty,
    () => onJoined(readers!.isDated),
    createSort,
  )
}

/** Sorts the rows by their order, so that each order is whole wherever its rows are. A row without an id belongs to the order of the row before it. */
async function* joinedRows(read: Rows, mapping: RecordMapping, createSort: CreateSort): AsyncIterable<ImportRecord> {
  using rows = createSort<RowOfOrder>()
  let readers = mapping.forRecords()
  const records = read((columns) => {
    readers = mapping.forTable(columns)
  })
  let place = 0
  let id = ''
  for await (const { line, record, issue } of records) {
    place += 1
    const structural = structuralIssues(issue)
    if (!isRow(record)) yield { line, record, issues: structural }
    else if (isSkippedEntry(record)) yield mendedRecord(line, record.record, mapping)
    else {
      const rowId = readers.readId(record)
      if (!isBlank(rowId)) id = String(rowId)
      rows.add([id, '', place], { line, place, row: record, structural })
    }
  }
  const orders = createOrderRows(mapping, readers)
  for (const row of rows.sorted()) yield* orders.add(row)
  yield* orders.end()
}

function structuralIssues(issue: string | undefined): readonly RecordIssue[] {
  return issue === undefined ? [] : [{ error: issue }]
}

/** Whether a record is an entry of a file of skipped records: its record has the wire's names already. */
export function isSkippedEntry(record: SourceRow): boolean {
  return typeof record.line === 'number' && typeof record.error === 'string' && Object.hasOwn(record, 'record')
}

function mendedRecord(line: number, mended: unknown, { fill }: RecordMapping): ImportRecord {
  const record = typeof mended === 'string' ? parsed(mended) : mended
  return { line, record: isRow(record) ? fill(record) : record, issues: [] }
}

/** A line that was not JSON was kept as a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
