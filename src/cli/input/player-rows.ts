/*
 * Joins the rows of a player: in an export of orders a customer has a row for each line of each order, and the name and address only in the first.
 */
import { createDiskSort } from './disk-sort.ts'
import { isBlank, type SourceRow } from './formula.ts'
import { isRow } from './import-record.ts'
import type { FileRecord } from './records-file.ts'

type PlacedRow = Readonly<{ place: number; line: number; record: unknown; fault?: string }>

/**
 * The rows of a file with those of a player as one, in the place of the first: an empty cell says nothing, and of several values the last one counts.
 * Rows that are no record, lack the id, or have a version of their own stay as they are. `onJoined` is called for each row that goes into another.
 * Errors: OperatorError if there is no space on disk.
 */
export async function* joinPlayerRows(
  rows: AsyncIterable<FileRecord>,
  { idOf, versionOf }: Readonly<Record<'idOf' | 'versionOf', (row: SourceRow) => unknown>>,
  onJoined: () => void,
): AsyncIterable<FileRecord> {
  using byPlayer = createDiskSort<PlacedRow>()
  using byPlace = createDiskSort<PlacedRow>()
  const keyOf = ({ record, fault }: FileRecord) => {
    const id = fault === undefined && isRow(record) && isBlank(versionOf(record)) ? idOf(record) : undefined
    return isBlank(id) ? '' : String(id)
  }
  let place = 0
  for await (const row of rows) {
    byPlayer.add([keyOf(row), '', place], { place, ...row })
    place += 1
  }
  let open: PlacedRow | undefined
  for (const row of byPlayer.sorted()) {
    const key = keyOf(row)
    if (open !== undefined && key !== '' && key === keyOf(open)) {
      open = { ...open, record: { ...(open.record as SourceRow), ...filledCells(row.record as SourceRow) } }
      onJoined()
      continue
    }
    if (open !== undefined) byPlace.add(['', '', open.place], open)
    open = row
  }
  if (open !== undefined) byPlace.add(['', '', open.place], open)
  yield* byPlace.sorted()
}

function filledCells(row: SourceRow): SourceRow {
  return Object.fromEntries(Object.entries(row).filter(([, cell]) => !isBlank(cell)))
}
