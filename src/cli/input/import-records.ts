import type { RecordFault } from './every-field-fault.ts'
import type { SourceRow } from './formula.ts'
import { createOrderRows } from './order-rows.ts'
import type { RecordMapping } from './record-mapping.ts'
import type { RecordsFile } from './records-file.ts'

/** A record to be sent to the service; one with faults is not sent. `line` is where it begins in the file. */
export type ImportRecord = Readonly<{
  line: number
  record: unknown
  faults: readonly RecordFault[]
  leftOut?: readonly RecordFault[]
}>

/**
 * The records of a file, mapped; the rows of an order make one record if the mapping has lines. `onPassedOver` is called for each row that
 * is no record.
 */
export async function* importRecords(
  source: RecordsFile,
  mapping: RecordMapping,
  onPassedOver: () => void,
): AsyncIterable<ImportRecord> {
  let readers = mapping.forRecords()
  let orders = createOrderRows(mapping, readers)
  const records = source.read((columns) => {
    readers = mapping.forTable(columns)
    orders = createOrderRows(mapping, readers)
  })
  for await (const { line, record, fault } of records) {
    const structural = fault === undefined ? [] : [{ error: fault }]
    if (!isRow(record)) yield { line, record, faults: structural }
    else if (isSkippedEntry(record)) yield mendedRecord(line, record.record, mapping)
    else if (mapping.hasLines) yield* orders.add(line, record, structural)
    else if (mapping.isRecord(record)) {
      const mapped = readers.read(record)
      yield { ...mapped, line, faults: fault === undefined ? mapped.faults : structural }
    } else onPassedOver()
  }
  yield* orders.end()
}

function isRow(record: unknown): record is SourceRow {
  return typeof record === 'object' && record !== null && !Array.isArray(record)
}

/** Whether a record is an entry of a file of skipped records: its record has the wire's names already. */
export function isSkippedEntry(record: SourceRow): boolean {
  return typeof record.line === 'number' && typeof record.error === 'string' && Object.hasOwn(record, 'record')
}

function mendedRecord(line: number, mended: unknown, { fill }: RecordMapping): ImportRecord {
  const record = typeof mended === 'string' ? parsed(mended) : mended
  return { line, record: isRow(record) ? fill(record) : record, faults: [] }
}

/** A line that was not JSON was kept as a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
