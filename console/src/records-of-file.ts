/*
 * Reads a file in the browser, and makes of it what `laurel import` makes of such a file, by the same code. It is loaded when a file is chosen.
 */
import { parse } from 'csv-parse/browser/esm/sync'
import type { DiskSort, SortKey } from '../../src/cli/input/disk-sort.ts'
import { fieldOf, findInstant, type ImportRecord } from '../../src/cli/input/import-record.ts'
import { importRecords } from '../../src/cli/input/import-records.ts'
import { ORDER_KEY, ORDER_TIME } from '../../src/cli/input/mapping-options.ts'
import { importedOrderFields, UPDATE_TIME, withoutUpdateTime } from '../../src/cli/input/oldest-first.ts'
import { createRecordMapping } from '../../src/cli/input/record-mapping.ts'
import {
  encodingInBytes,
  type FileRecord,
  formatInName,
  type ParseCsv,
  type RecordsSource,
  recordsOf,
} from '../../src/cli/input/records-text.ts'
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
import type { RouteResponse } from '../../src/server/responses.ts'

export type UploadRecordType = 'players' | 'products' | 'orders'
type ListedSettings = RouteResponse<'GET /api/admin/settings'>['settings']

/** What a file has: its records in the sequence in which they are sent, and what is to be said about it. One with issues is not sent. */
export type ReadFile = Readonly<{ records: readonly ImportRecord[]; notes: readonly string[] }>

/** Reads JSON, lines of JSON, or a CSV with names in its first line. Errors name the line. */
export async function readFile(recordType: UploadRecordType, file: File, settings: ListedSettings): Promise<ReadFile> {
  const notes: string[] = []
  const { isTable, read } = sourceOf(file.name, new Uint8Array(await file.arrayBuffer()))
  const isSorted = recordType === 'players' && !isTable
  const source: RecordsSource = isSorted ? { isTable, read: (...args) => newestLast(read(...args)) } : { isTable, read }
  // A dry run comes first, and finds settings that stand in the way.
  const mapping = createRecordMapping(recordType, fieldsOf(recordType, settings), { dryRun: true }, (note) =>
    notes.push(note),
  )
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
  if (records.length === 0) notes.push('the file has no record')
  if (joined > 0) notes.push(`rows joined to another row of the same player: ${joined}`)
  return { records, notes }
}

/** What is sent of a record. */
export function dataOf(records: readonly ImportRecord[]): readonly unknown[] {
  return records.map(({ record }) => withoutUpdateTime(record))
}

/** What the service found in the orders of a file, in the words of `laurel import`. `idsOfOthers`: before these are written, a person decides. */
export function findingsIn(
  response: RouteResponse<'POST /api/integration/orders'>,
  records: readonly ImportRecord[],
  timeZone: string,
): Readonly<{ outOfOrder?: string; idsOfOthers?: string }> {
  const findings: OrderFindings = { outOfOrder: 0, usedAgain: 0, example: undefined }
  addFindings(findings, response, records)
  return {
    ...(findings.outOfOrder > 0 ? { outOfOrder: outOfOrderText(findings.outOfOrder) } : {}),
    ...(findings.usedAgain > 0 ? { idsOfOthers: idsOfOthersText(findings, timeZone) } : {}),
  }
}

function fieldsOf(recordType: UploadRecordType, settings: ListedSettings): RecordFields {
  if (recordType === 'orders') return importedOrderFields
  return recordType === 'products' ? productFields : playerFields(new Date(), listedShopSettings(settings))
}

/** The records of a file. If its name does not tell the format, the first character does. */
export function sourceOf(name: string, bytes: Uint8Array<ArrayBuffer>): RecordsSource {
  const text = decoded(bytes)
  const [first] = text.trimStart()
  const format = formatInName(name) ?? (first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv')
  return recordsOf(format, () => [text], parseCsv)
}

const parseCsv: ParseCsv = async function* (text, options) {
  yield* parse(new TextEncoder().encode((await Array.fromAsync(text)).join('')), options) as FileRecord[]
}

/** A text in another encoding would be stored with replacement characters. */
function decoded(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder(encodingInBytes(bytes), { fatal: true }).decode(bytes)
  } catch {
    throw new Error(
      'the file is not in UTF-8: save it as CSV UTF-8, or upload it with npx --no laurel import --encoding windows-1252',
    )
  }
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
async function* newestLast(players: AsyncIterable<FileRecord>): AsyncIterable<FileRecord> {
  const timed = (await Array.fromAsync(players)).map((player) => ({
    player,
    order: String(fieldOf(player.record, ORDER_KEY) ?? ''),
    at: findInstant(player.record, UPDATE_TIME) ?? findInstant(player.record, ORDER_TIME) ?? '',
  }))
  const ofOrders = new Map<string, string>()
  for (const { order, at } of timed) if (order !== '' && at > (ofOrders.get(order) ?? '')) ofOrders.set(order, at)
  yield* timed
    .map(({ player, order, at }) => ({ player, order, at: ofOrders.get(order) ?? at }))
    .sort((a, b) => compareValues(a.at, b.at) || (a.at === '' ? 0 : compareValues(a.order, b.order)))
    .map(({ player }) => player)
}
