/*
 * Reads a file in the browser, and makes of it what `laurel import` makes of such a file, by the same code. It is loaded when a file is chosen.
 */
import type { DiskSort, SortKey } from '../../src/cli/input/disk-sort.ts'
import { fieldOf, type ImportRecord, momentIn } from '../../src/cli/input/import-record.ts'
import { importRecords } from '../../src/cli/input/import-records.ts'
import { ORDER_KEY, ORDER_TIME } from '../../src/cli/input/mapping-options.ts'
import { importedOrderFields, UPDATE_TIME, withoutUpdateTime } from '../../src/cli/input/oldest-first.ts'
import { createRecordMapping } from '../../src/cli/input/record-mapping.ts'
import type { FileRecord, RecordsFile } from '../../src/cli/input/records-file.ts'
import { stripApostrophes } from '../../src/cli/input/spreadsheet-apostrophes.ts'
import {
  addFindings,
  idsOfOthersText,
  type OrderFindings,
  outOfOrderText,
} from '../../src/cli/output/order-findings.ts'
import { playerFields } from '../../src/engine/ingest/player.ts'
import { productFields } from '../../src/engine/ingest/product.ts'
import type { RecordFields } from '../../src/engine/ingest/record.ts'
import { listedShopSettings } from '../../src/engine/ingest/shop-settings.ts'
import { compareValues } from '../../src/engine/points/arithmetic.ts'
import type { Answer } from '../../src/server/answers.ts'

export type UploadNoun = 'players' | 'products' | 'orders'
type ListedSettings = Answer<'GET /api/admin/settings'>['settings']

/** What a file has: its records in the sequence in which they are sent, and what is to be said about it. One with faults is not sent. */
export type ReadFile = Readonly<{ records: readonly ImportRecord[]; notes: readonly string[] }>

/** Reads a JSON list, lines of JSON, or a CSV with names in its first line. Errors name the line. */
export async function readFile(noun: UploadNoun, text: string, settings: ListedSettings): Promise<ReadFile> {
  const notes: string[] = []
  const source = fileOf(text.replace(/^\ufeff/, ''), noun)
  // A dry run comes first, and finds settings that stand in the way.
  const mapping = createRecordMapping(noun, fieldsOf(noun, settings), { dryRun: true }, (note) => notes.push(note))
  const records: ImportRecord[] = []
  let joined = 0
  const events = {
    onPassedOver: () => undefined,
    onRow: () => undefined,
    onJoined: () => {
      joined += 1
    },
    isIgnored: () => false,
    onSorted: async () => undefined,
  }
  for await (const record of importRecords(source, mapping, events, createMemorySort)) records.push(record)
  if (joined > 0) notes.push(`rows joined to another row of the same player: ${joined}`)
  return { records, notes }
}

/** What is sent of a record. */
export function dataOf(records: readonly ImportRecord[]): readonly unknown[] {
  return records.map(({ record }) => withoutUpdateTime(record))
}

/** What the service found in the orders of a file, in the words of `laurel import`. `idsOfOthers`: before these are written, a person decides. */
export function findingsIn(
  answer: Answer<'POST /api/integration/orders'>,
  records: readonly ImportRecord[],
  timeZone: string,
): Readonly<{ outOfOrder?: string; idsOfOthers?: string }> {
  const findings: OrderFindings = { outOfOrder: 0, usedAgain: 0, example: undefined }
  addFindings(findings, answer, records)
  return {
    ...(findings.outOfOrder > 0 ? { outOfOrder: outOfOrderText(findings.outOfOrder) } : {}),
    ...(findings.usedAgain > 0 ? { idsOfOthers: idsOfOthersText(findings, timeZone) } : {}),
  }
}

function fieldsOf(noun: UploadNoun, settings: ListedSettings): RecordFields {
  if (noun === 'orders') return importedOrderFields
  return noun === 'products' ? productFields : playerFields(new Date(), listedShopSettings(settings))
}

function fileOf(text: string, noun: UploadNoun): RecordsFile {
  const start = text.trimStart()
  if (start === '') throw new Error('the file is empty')
  if (!/^[[{]/.test(start)) return tableOf(text)
  const listed = start.startsWith('[') ? fromList(text) : fromLines(text)
  const records = noun === 'players' ? newestLast(listed) : listed
  return { isTable: false, percentRead: () => undefined, read: () => each(records) }
}

function tableOf(text: string): RecordsFile {
  const { columns, records } = fromCsv(text)
  return {
    isTable: true,
    percentRead: () => undefined,
    read: async function* (onColumns, ofIds = []) {
      onColumns(columns)
      for (const one of records) {
        stripApostrophes(one.record, ofIds)
        yield one
      }
    },
  }
}

async function* each<Value>(values: Iterable<Value>): AsyncIterable<Value> {
  yield* values
}

// Browsers of 2024 have no such symbol, and built code looks for it where it is kept.
if (Symbol.dispose === undefined) Object.defineProperty(Symbol, 'dispose', { value: Symbol.for('Symbol.dispose') })

/** The file fits into memory, so its sort does, too. */
function createMemorySort<T>(): DiskSort<T> {
  const kept: { key: SortKey; value: T }[] = []
  return {
    add: (key, value) => kept.push({ key, value }),
    sorted: () => kept.toSorted((a, b) => compareKeys(a.key, b.key)).map(({ value }) => value),
    [Symbol.dispose]: () => undefined,
  }
}

function compareKeys(one: SortKey, other: SortKey): number {
  const place = one.findIndex((part, index) => part !== other[index])
  return place === -1 ? 0 : one[place]! < other[place]! ? -1 : 1
}

/**
 * Players, those of the newest orders last, as of several values the last one sent counts (decision 123): by `updated_at`, else `ordered_at`, of the record or
 * of another with its `order_id`, then by that id. Those without a time come first, in the order of the file.
 */
function newestLast(players: readonly FileRecord[]): FileRecord[] {
  const timed = players.map((player) => ({
    player,
    order: String(fieldOf(player.record, ORDER_KEY) ?? ''),
    at: momentIn(player.record, UPDATE_TIME) ?? momentIn(player.record, ORDER_TIME) ?? '',
  }))
  const ofOrders = new Map<string, string>()
  for (const { order, at } of timed) if (order !== '' && at > (ofOrders.get(order) ?? '')) ofOrders.set(order, at)
  return timed
    .map(({ player, order, at }) => ({ player, order, at: ofOrders.get(order) ?? at }))
    .sort((a, b) => compareValues(a.at, b.at) || (a.at === '' ? 0 : compareValues(a.order, b.order)))
    .map(({ player }) => player)
}

function fromList(text: string): FileRecord[] {
  try {
    return (JSON.parse(text) as unknown[]).map((record, index) => ({ record, line: index + 1 }))
  } catch (error) {
    throw new Error(`invalid JSON: ${(error as Error).message}`)
  }
}

function fromLines(text: string): FileRecord[] {
  return text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return []
    try {
      return [{ record: JSON.parse(content), line: index + 1 }]
    } catch {
      throw new Error(`invalid JSON on line ${index + 1}`)
    }
  })
}

type TableRow = FileRecord & Readonly<{ record: Record<string, string> }>

/** Spreadsheets save empty columns and rows, too: they say nothing. */
function fromCsv(text: string): Readonly<{ columns: readonly string[]; records: readonly TableRow[] }> {
  const [head, ...rows] = csvRows(text).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  if (head!.misquoted !== undefined) throw new Error(head!.misquoted)
  const names = head!.cells.map((cell) => cell.trim())
  const columns = names.filter((name) => name !== '')
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`the first line has the column "${twice}" twice`)
  const records = rows.map(({ cells, line, misquoted }) => {
    // It may go on in the next line.
    if (misquoted !== undefined && cells.length < names.length) throw new Error(misquoted)
    const named = names.flatMap((name, index) => (name === '' ? [] : [[name, cells[index] ?? ''] as const]))
    const record = Object.fromEntries(named)
    if (misquoted !== undefined) return { record, line, fault: MISQUOTED }
    const fits = cells.length >= names.length && cells.slice(names.length).every((cell) => cell.trim() === '')
    return { record, line, ...(fits ? {} : { fault: 'expected as many cells as in the first line' }) }
  })
  return { columns, records }
}

/** `misquoted` says where a cell in quotes is followed by something other than a separator, in a row that seems to end with its line. */
type Row = Readonly<{ cells: string[]; line: number; misquoted?: string }>

const MISQUOTED = 'expected a separator after a cell in quotes: a quote inside such a cell is written twice'

/**
 * RFC 4180: cells in quotes may contain commas, line breaks and doubled quotes. A quote inside a cell that does not begin with one belongs to the
 * cell. Errors if nobody can tell where a row ends.
 */
function csvRows(text: string): Row[] {
  const rows: Row[] = []
  let [cells, cell, line, begins, opened]: [string[], string, number, number, number] = [[], '', 1, 1, 0]
  let state: 'plain' | 'quoted' | 'closed' = 'plain'
  let misquoted: string | undefined
  const endCell = () => {
    cells.push(cell)
    cell = ''
    state = 'plain'
  }
  const endRow = () => {
    if (cells.length > 0 || cell !== '') {
      endCell()
      rows.push({ cells, line: begins, ...(misquoted === undefined ? {} : { misquoted }) })
    }
    ;[cells, state, misquoted] = [[], 'plain', undefined]
  }
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place]!
    if (character === '\n') line += 1
    if (state === 'quoted') {
      if (character === '\n' && misquoted !== undefined) throw new Error(misquoted)
      if (character !== '"') cell += character
      else if (text[place + 1] === '"') {
        cell += '"'
        place += 1
      } else state = 'closed'
    } else if (character === ',') endCell()
    else if (character === '\n') {
      endRow()
      begins = line
    } else if (character === '\r') continue
    else if (state === 'closed') {
      const since = opened === line ? '' : ` that begins on line ${opened}`
      misquoted ??= `line ${line} has "${character}" after a cell in quotes${since}: a quote inside such a cell is written twice`
      if (opened !== line) throw new Error(misquoted)
      cell = `"${cell}"${character}`
      state = 'plain'
    } else if (character === '"' && cell === '') [state, opened] = ['quoted', line]
    else cell += character
  }
  if (state === 'quoted')
    throw new Error(
      `unclosed quote on line ${opened}: close it, or, if it belongs to the cell, write the cell in quotes and that quote twice`,
    )
  endRow()
  return rows
}
