/*
 * Joins the rows of a player: in an export of orders a customer has a row for each line of each order, the name and address, or the customer at
 * all, only in the first row of each, and perhaps others in each order.
 */

import type { RecordIssue } from './collect-field-issues.ts'
import type { CreateSort } from './disk-sort.ts'
import { isBlank, type SourceRow } from './formula.ts'
import { type ImportRecord, isRow } from './import-record.ts'
import { PLAYER_KEY } from './mapping-options.ts'
import type { PlayerRowReaders } from './record-mapping.ts'
import type { FileRecord } from './records-text.ts'

/** A row with its place in the file, and the ids of its player and order; empty if it has none. `rank`, `times`, `contacts`: see PlayerRowReaders. */
type PlacedRow = FileRecord &
  Readonly<{
    place: number
    player: string
    order: string
    rank: string
    times: readonly string[]
    contacts: readonly string[]
  }>
/** Whom the rows of an order are about. */
type Owner = {
  order: string
  player: string
  rank: string
  /** Whether no other player is as well known. */
  isSole: boolean
  /** What the rows that name the player say, by column: first the times, then the contacts. */
  valuesByColumn: readonly Set<string>[]
  /** Whether no other row contradicts them, or a third one where they say nothing. */
  isClear: boolean
}
/** The row that a field is read from, by the field; `at` is the moment of its order, or its own. */
type Sources = Map<string, Readonly<{ row: SourceRow; at: string }>>
type OpenOrder = { id: string; at: string; last: SourceRow; sources: Sources }
type OpenPlayer = {
  id: string
  /** The id of the order, where the player has none. */
  order: string
  /** Of the first row in the file. */
  place: number
  line: number
  orders: number
  last: SourceRow
  sources: Sources
  /** The first row whose time is unreadable. */
  issue?: RecordIssue
}

/**
 * The players of a file, in the places of their first rows. Rows of one order are one record: a field is filled if it is in any of them, the id of the
 * player, too. Of the values of several orders, that of the newest counts, and of equally old ones that of the greatest id; without a time, the last in
 * the file. An empty field says nothing, or, with `keepsEmpty`, replaces a filled one as any other. Rows that are no record, have neither a player nor an
 * order, or have a version of their own stay as they are. `onJoined` is called for each row that goes into another of its player.
 * Errors: OperatorError if there is no space on disk.
 */
export async function* joinPlayerRows(
  rows: AsyncIterable<FileRecord>,
  readersOf: () => PlayerRowReaders,
  keepsEmpty: boolean,
  onJoined: () => void,
  createSort: CreateSort,
): AsyncIterable<ImportRecord> {
  using byPlayer = createSort<PlacedRow>()
  using byPlace = createSort<ImportRecord>()
  for await (const row of withPlayers(rows, readersOf, createSort))
    byPlayer.add([row.player, row.order, row.place], row)
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
  for (const row of byPlayer.sorted()) {
    const { place, line, record } = row
    if ((row.player === '' && row.order === '') || !isRow(record)) {
      byPlace.add(['', '', place], unjoined(row, readers))
      continue
    }
    if (player === undefined || player.id !== row.player || (row.player === '' && player.order !== row.order)) {
      endPlayer()
      player = { id: row.player, order: row.order, place, line, orders: 0, last: record, sources: new Map() }
    } else if (row.player !== '') onJoined()
    if (order?.id !== row.order || row.order === '') endOrder()
    const { at, issues } = readers.isDated ? readers.readTime(record) : { at: sortable(place), issues: [] }
    order ??= { id: row.order, at, last: record, sources: new Map() }
    order.last = record
    if (at > order.at) order.at = at
    for (const field of readers.filled(record)) keepLatest(order.sources, field, record, at)
    const [unreadable] = issues
    if (unreadable !== undefined) player.issue ??= unreadable
    if (place < player.place) Object.assign(player, { place, line })
  }
  endPlayer()
  yield* byPlace.sorted()
}

/**
 * The rows with the ids of their players, in any sequence. A row without one, or with a lesser one, has that of the other rows of its order, unless it is
 * probably of another order with that number, or about somebody else: what it says would be stored with a stranger.
 */
async function* withPlayers(
  rows: AsyncIterable<FileRecord>,
  readersOf: () => PlayerRowReaders,
  createSort: CreateSort,
): AsyncIterable<PlacedRow> {
  using byOrder = createSort<PlacedRow>()
  let place = 0
  for await (const row of rows) {
    const placed = placedRow(row, place, readersOf())
    if (placed.order === '') yield placed
    else byOrder.add([placed.order, placed.rank, place], placed)
    place += 1
  }
  const owners = ownersOf(byOrder.sorted())
  let owner: Owner | undefined
  for (const row of byOrder.sorted()) {
    if (row.order !== owner?.order) owner = owners.next().value!
    yield isOwnedBy(owner, row) ? { ...row, player: owner.player } : row
  }
}

/** Whom each order is about, by rows that are sorted by order, then by rank. */
function* ownersOf(sorted: Iterable<PlacedRow>): Generator<Owner, undefined> {
  let owner: Owner | undefined
  let others: Set<string>[] = []
  for (const { order, player, rank, times, contacts } of sorted) {
    if (order !== owner?.order) {
      if (owner !== undefined) yield owner
      const emptyColumns = () => [...times, ...contacts].map(() => new Set<string>())
      owner = { order, player, rank, isSole: true, valuesByColumn: emptyColumns(), isClear: true }
      others = emptyColumns()
    }
    const isNamed = rank === owner.rank
    if (isNamed && player !== owner.player) owner.isSole = false
    for (const [index, cell] of [...times, ...contacts].entries()) {
      if (cell === '') continue
      const values = isNamed || owner.valuesByColumn[index]!.size > 0 ? owner.valuesByColumn[index]! : others[index]!
      if (!isNamed && values.size > 0 && !values.has(cell)) owner.isClear = false
      else values.add(cell)
    }
  }
  if (owner !== undefined) yield owner
}

/** Where other rows contradict the player's, nobody knows which of them a row is about, unless its time is that of the player's. */
function isOwnedBy({ isSole, valuesByColumn, isClear }: Owner, { times, contacts }: PlacedRow): boolean {
  const hasValue = (cell: string, index: number) => valuesByColumn[index]!.has(cell)
  const agrees = [...times, ...contacts].every(
    (cell, index) => cell === '' || valuesByColumn[index]!.size === 0 || hasValue(cell, index),
  )
  return isSole && agrees && (isClear || times.some(hasValue))
}

function placedRow(row: FileRecord, place: number, readers: PlayerRowReaders): PlacedRow {
  const { record, issue } = row
  const isJoined = issue === undefined && isRow(record) && isBlank(readers.readVersion(record))
  const { id, rank } = isJoined ? readers.readId(record) : { id: undefined, rank: 0 }
  const order = isJoined ? readers.readOrder(record) : undefined
  const cellsOf = (columns: readonly string[]) =>
    isJoined ? columns.map((column) => textOf(record[column]).trim()) : []
  const [times, contacts] = [cellsOf(readers.timeColumns), cellsOf(readers.contactColumns)]
  return { ...row, place, player: textOf(id), order: textOf(order), rank: sortable(rank), times, contacts }
}

function textOf(id: unknown): string {
  return isBlank(id) ? '' : String(id)
}

/** A text that sorts as the number does. */
function sortable(number: number): string {
  return String(number).padStart(16, '0')
}

function keepLatest(sources: Sources, field: string, row: SourceRow, at: string): void {
  const latest = sources.get(field)
  if (latest === undefined || at >= latest.at) sources.set(field, { row, at })
}

/** A time that cannot be read is an issue only where it would decide between orders. */
function playerOf({ id, line, orders, last, sources, issue }: OpenPlayer, readers: PlayerRowReaders): ImportRecord {
  const mapped = readers.readFrom((field) => sources.get(field)?.row ?? last)
  const record = id === '' ? mapped.record : { ...mapped.record, [PLAYER_KEY]: id }
  const issues = orders > 1 && issue !== undefined ? [issue, ...mapped.issues] : mapped.issues
  return { ...mapped, line, record, issues }
}

function unjoined({ line, record, issue }: FileRecord, readers: PlayerRowReaders): ImportRecord {
  const structural = issue === undefined ? [] : [{ error: issue }]
  if (!isRow(record)) return { line, record, issues: structural }
  const mapped = readers.readFrom(() => record)
  return { ...mapped, line, issues: issue === undefined ? mapped.issues : structural }
}
