import { ORDER_LINES_MAX } from '../../points/model.ts'
import type { RecordFault } from './every-field-fault.ts'
import { isBlank, type SourceRow } from './formula.ts'
import type { Mapped } from './leave-out.ts'
import type { RecordMapping } from './record-mapping.ts'
import type { FileRecord } from './records-file.ts'

/** A record as it goes to the service; one with faults stays here. `line` is where it begins in the file. */
export type ImportRecord = Readonly<{
  line: number
  record: unknown
  faults: readonly RecordFault[]
  leftOut?: readonly RecordFault[]
}>

/** Ids of orders that are remembered, so that rows of one that do not stand together are noticed. */
const IDS_REMEMBERED = 100_000

/** The records of a file, mapped; the rows of an order are one record where the mapping has lines. */
export async function* importRecords(
  records: AsyncIterable<FileRecord>,
  mapping: RecordMapping,
): AsyncIterable<ImportRecord> {
  const orders = createOrderRows(mapping)
  for await (const { line, record, fault } of records) {
    const structural = fault === undefined ? [] : [{ error: fault }]
    if (!isRow(record)) yield { line, record, faults: structural }
    else if (isSkippedEntry(record)) yield mendedRecord(line, record.record, mapping)
    else if (mapping.hasLines) yield* orders.add(line, record, structural)
    else if (mapping.isRecord(record)) {
      const mapped = mapping.read(record)
      yield { ...mapped, line, faults: fault === undefined ? mapped.faults : structural }
    }
  }
  yield* orders.end()
}

function isRow(record: unknown): record is SourceRow {
  return typeof record === 'object' && record !== null && !Array.isArray(record)
}

/** Whether a record is an entry of a file of skipped records: its record bears the wire's names already. */
function isSkippedEntry(record: SourceRow): boolean {
  return typeof record.line === 'number' && typeof record.error === 'string' && Object.hasOwn(record, 'record')
}

function mendedRecord(line: number, mended: unknown, { fill }: RecordMapping): ImportRecord {
  const record = typeof mended === 'string' ? parsed(mended) : mended
  return { line, record: isRow(record) ? fill(record) : record, faults: [] }
}

/** A line that was no JSON was kept as a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type OpenOrder = Mapped & {
  line: number
  id: unknown
  lines: unknown[]
  allFaults: RecordFault[]
  allLeftOut: RecordFault[]
}

/** Puts the rows of an order together: those with its id that follow one another, or have none. */
function createOrderRows(mapping: RecordMapping) {
  const seen = new Set<unknown>()
  let open: OpenOrder | undefined
  function* end(): Iterable<ImportRecord> {
    if (open === undefined) return
    const { line, record, lines, allFaults, allLeftOut } = open
    open = undefined
    yield { line, record: { ...record, products: lines }, faults: allFaults, leftOut: allLeftOut }
  }
  function begin(line: number, mapped: Mapped): OpenOrder {
    const id = mapped.record.order_id
    const allFaults = [...mapped.faults]
    if (seen.has(id))
      allFaults.push({
        field: 'order_id',
        error: 'expected the rows of an order one after another: sort the file by it',
      })
    seen.add(id)
    if (seen.size > IDS_REMEMBERED) for (const oldest of seen.values().take(1)) seen.delete(oldest)
    return { ...mapped, line, id, lines: [], allFaults, allLeftOut: [...(mapped.leftOut ?? [])] }
  }
  function* add(line: number, row: SourceRow, structural: readonly RecordFault[]): Iterable<ImportRecord> {
    const mapped = mapping.read(row)
    const id = mapped.record.order_id
    if (open === undefined || !(isBlank(id) || id === open.id)) {
      yield* end()
      open = begin(line, mapped)
    }
    const product = mapping.readLine(row)
    const place = open.lines.length
    // One more than an order may have is enough to be refused.
    if (product?.leftOut?.length) open.allLeftOut.push(...product.leftOut)
    else if (product !== undefined && place <= ORDER_LINES_MAX) {
      open.lines.push(product.record)
      for (const { field, error } of product.faults)
        open.allFaults.push({ field: field?.replace('products.', `products[${place}].`), error })
    }
    open.allFaults.push(...structural)
  }
  return { add, end }
}
