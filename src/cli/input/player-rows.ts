/*
 * Joins the rows of a player: in an export of orders a customer has a row for each line of each order, the name and address only in the first row of
 * each, and perhaps others in each order.
 */
import { createDiskSort } from './disk-sort.ts'
import type { RecordFault } from './every-field-fault.ts'
import { isBlank, type SourceRow } from './formula.ts'
import { type ImportRecord, isRow } from './import-record.ts'
import type { PlayerRowReaders } from './record-mapping.ts'
import type { FileRecord } from './records-file.ts'

type PlacedRow = Readonly<{ place: number }> & FileRecord
/** The row that a field is read from, by the field; `at` is the moment of its order, or its own. */
type Sources = Map<string, Readonly<{ row: SourceRow; at: string }>>
type OpenOrder = { id: string; at: string; last: SourceRow; sources: Sources }
type OpenPlayer = {
  id: string
  /** Of the first row in the file. */
  place: number
  line: number
  orders: number
  last: SourceRow
  sources: Sources
  /** The first row whose time is unreadable. */
  fault?: RecordFault
}

/**
 * The players of a file, in the places of their first rows. Rows of one order are one record: a field is filled if it is in any of them. Of the values of
 * several orders, that of the newest counts, and of equally old ones that of the greatest id; without a time, the last in the file. An empty field says
 * nothing, or, with `keepsEmpty`, replaces a filled one as any other. Rows that are no record, lack the id, or have a version of their own stay as they
 * are. `onJoined` is called for each row that goes into another.
 * Errors: OperatorError if there is no space on disk.
 */
export async function* joinPlayerRows(
  rows: AsyncIterable<FileRecord>,
  readersOf: () => PlayerRowReaders,
  keepsEmpty: boolean,
  onJoined: () => void,
): AsyncIterable<ImportRecord> {
  using byPlayer = createDiskSort<PlacedRow>()
  using byPlace = createDiskSort<ImportRecord>()
  let count = 0
  for await (const row of rows) {
    const { player, order } = keysOf(row, readersOf())
    byPlayer.add([player, order, count], { place: count, ...row })
    count += 1
  }
  const readers = readersOf()
  let player: OpenPlayer | undefined
  let order: OpenOrder | undefined
  const endOrder = () => {
    if (player === undefined || order === undefined) return
    for (const field of keepsEmpty ? readers.fields : order.sources.keys())
      keepLatest(player.sources, field, order.sources.get(field)?.row ?? order.last, order.at)
    player.orders += 1
    order = undefined
  }
  const endPlayer = () => {
    endOrder()
    if (player !== undefined) byPlace.add(['', '', player.place], playerOf(player, readers))
    player = undefined
  }
  for (const { place, line, record, fault } of byPlayer.sorted()) {
    const keys = keysOf({ line, record, ...(fault === undefined ? {} : { fault }) }, readers)
    if (keys.player === '' || !isRow(record)) {
      byPlace.add(['', '', place], unjoined({ line, record, ...(fault === undefined ? {} : { fault }) }, readers))
      continue
    }
    if (player?.id === keys.player) onJoined()
    else {
      endPlayer()
      player = { id: keys.player, place, line, orders: 0, last: record, sources: new Map() }
    }
    if (order?.id !== keys.order || keys.order === '') endOrder()
    const { at, faults } = readers.readTime(record)
    order ??= { id: keys.order, at, last: record, sources: new Map() }
    order.last = record
    if (at > order.at) order.at = at
    for (const field of readers.filled(record)) keepLatest(order.sources, field, record, at)
    const [unreadable] = faults
    if (unreadable !== undefined) player.fault ??= unreadable
    if (place < player.place) Object.assign(player, { place, line })
  }
  endPlayer()
  yield* byPlace.sorted()
}

function keysOf({ record, fault }: FileRecord, readers: PlayerRowReaders): Readonly<{ player: string; order: string }> {
  const isJoined = fault === undefined && isRow(record) && isBlank(readers.readVersion(record))
  const player = isJoined ? readers.readId(record) : undefined
  const order = isJoined && readers.isDated ? readers.readOrder(record) : undefined
  return { player: isBlank(player) ? '' : String(player), order: isBlank(order) ? '' : String(order) }
}

function keepLatest(sources: Sources, field: string, row: SourceRow, at: string): void {
  const known = sources.get(field)
  if (known === undefined || at >= known.at) sources.set(field, { row, at })
}

/** A time that cannot be read is a fault only where it would decide between orders. */
function playerOf({ line, orders, last, sources, fault }: OpenPlayer, readers: PlayerRowReaders): ImportRecord {
  const mapped = readers.readFrom((field) => sources.get(field)?.row ?? last)
  const faults = orders > 1 && fault !== undefined ? [fault, ...mapped.faults] : mapped.faults
  return { ...mapped, line, faults }
}

function unjoined({ line, record, fault }: FileRecord, readers: PlayerRowReaders): ImportRecord {
  const structural = fault === undefined ? [] : [{ error: fault }]
  if (!isRow(record)) return { line, record, faults: structural }
  const mapped = readers.readFrom(() => record)
  return { ...mapped, line, faults: fault === undefined ? mapped.faults : structural }
}
