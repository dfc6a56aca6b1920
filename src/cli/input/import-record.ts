import type { RecordFault } from './every-field-fault.ts'
import type { SourceRow } from './formula.ts'

/** A record to be sent to the service; one with faults is not sent. `line` is where it begins in the file. */
export type ImportRecord = Readonly<{
  line: number
  record: unknown
  faults: readonly RecordFault[]
  leftOut?: readonly RecordFault[]
}>

/** Whether what a file has in the place of a record has fields at all. */
export function isRow(record: unknown): record is SourceRow {
  return typeof record === 'object' && record !== null && !Array.isArray(record)
}
