import { setTimeout as sleep } from 'node:timers/promises'
import { balanceFields } from '../../engine/ingest/adjustment.ts'
import { playerFields } from '../../engine/ingest/player.ts'
import { productFields } from '../../engine/ingest/product.ts'
import type { RecordFields } from '../../engine/ingest/record.ts'
import { listedShopSettings, SHOP_DEFAULTS, type ShopSettings } from '../../engine/ingest/shop-settings.ts'
import { shown } from '../../engine/ingest/shown.ts'
import { UTC } from '../../engine/points/local-time.ts'
import { InvalidInput, OperatorError, Unavailable } from '../../errors.ts'
import type { RouteResponse } from '../../server/responses.ts'
import { type Client, withClient } from '../client.ts'
import { canAppend, findProgramZone } from '../current-program.ts'
import { EXIT, isRefusal, NotLaurel } from '../failure.ts'
import { collectFieldIssues, type RecordIssue } from '../input/collect-field-issues.ts'
import { createDiskSort } from '../input/disk-sort.ts'
import { isBlank, type SourceRow } from '../input/formula.ts'
import { CUSTOMERS, type ImportRecord, inWordsOfFile } from '../input/import-record.ts'
import { importRecords, type ReadingEvents } from '../input/import-records.ts'
import { createIgnoring } from '../input/leave-out-or-ignore.ts'
import { type MappingOptions, readMappingOptions } from '../input/mapping-options.ts'
import { importedOrderFields, withoutUpdateTime } from '../input/oldest-first.ts'
import { createRecordMapping, type RecordMapping } from '../input/record-mapping.ts'
import { type FileFormat, openRecordsFile, type RecordsFile } from '../input/records-file.ts'
import {
  createOrderChanges,
  createPlayerChanges,
  type FindChanges,
  type SettingChange,
} from '../input/setting-changes.ts'
import { assumedZoneText } from '../output/assumed-zone.ts'
import { createOutcome, type ImportCounts, printOutcome } from '../output/import-outcome.ts'
import { addFindings, type OrderFindings, outOfOrderText, usedAgainText } from '../output/order-findings.ts'
import { noteLine } from '../output/print.ts'
import { showFileProgress } from '../output/progress.ts'
import { commandsFor, moneyLine } from '../output/setting-advice.ts'
import { findSkippedPaths, openSkippedFile, type SkippedPaths } from '../output/skipped-file.ts'

export type ImportOptions = Readonly<{
  url?: string
  skipped?: string
  ignoreWithout?: readonly string[]
  /** Whether orders with the ids of recorded ones are new states of these, however far away. */
  sameOrders?: true
  json?: true
}> &
  FileFormat &
  MappingOptions

type ImportRoute =
  | 'POST /api/integration/players'
  | 'POST /api/integration/products'
  | 'POST /api/integration/orders'
  | 'POST /api/admin/balances'

type Import = Readonly<{
  route: ImportRoute
  fields: RecordFields
  mapping: RecordMapping
  source: RecordsFile
  dryRun: boolean
  /** Whether an empty field keeps its stored value. */
  keepsFilled: boolean
  skippedPaths: SkippedPaths
  dateFormat: string | undefined
  shop: ShopSettings
  findChanges: FindChanges
  isIgnored: (record: unknown) => boolean
  sameOrders: boolean
  timeZone: string | undefined
  url: string | undefined
  json: boolean
}>

/** A record that was refused, and why. */
type Refused = Readonly<{ record: ImportRecord; issues: readonly RecordIssue[] }>

/** The most details that a response can have, so that every skipped record comes back with its reason (decision 47). */
const BATCH_RECORDS = 1_000
const TRIES_MAX = 6

type ImportedType = Readonly<{
  route: ImportRoute
  fieldsWith: (shop: ShopSettings) => RecordFields
  findChangesWith: (shop: ShopSettings) => FindChanges
}>

const none: FindChanges = () => undefined

/** For each record type: its route, the fields of its records, and how to find settings that would accept more of them. */
const IMPORTED_TYPES: Readonly<Record<string, ImportedType>> = {
  players: {
    route: 'POST /api/integration/players',
    fieldsWith: (shop) => playerFields(new Date(), shop),
    findChangesWith: (shop) => createPlayerChanges(shop, new Date()),
  },
  products: {
    route: 'POST /api/integration/products',
    fieldsWith: () => productFields,
    findChangesWith: () => none,
  },
  orders: {
    route: 'POST /api/integration/orders',
    fieldsWith: () => importedOrderFields,
    findChangesWith: () => createOrderChanges(new Date()),
  },
  balances: { route: 'POST /api/admin/balances', fieldsWith: () => balanceFields, findChangesWith: () => none },
}

/**
 * `laurel import`: sends a file in requests of 1,000 records. Safe to run again: existing records are not written twice.
 * Skipped records go to a file of their own, each with its line and reasons. Sets exit code 4 if there are any.
 */
export async function importFile(recordType: string, file: string, options: ImportOptions): Promise<void> {
  const { url, dateFormat, timeZone, dryRun = false, sameOrders = false, json = false } = options
  // The command line is checked first, so that a mistyped name does not open a database.
  if (!Object.hasOwn(IMPORTED_TYPES, recordType))
    throw new OperatorError(`unknown record type "${recordType}", expected one of players, products, orders, balances`)
  const { route, fieldsWith, findChangesWith } = IMPORTED_TYPES[recordType]!
  const source = openRecordsFile(file, options)
  const skippedPath = options.skipped ?? `${file === '-' ? recordType : file}.skipped.ndjson`
  const skippedPaths = findSkippedPaths(skippedPath, file, dryRun)
  const isIgnored = createIgnoring(options.ignoreWithout ?? [], fieldsWith(SHOP_DEFAULTS))
  // Checks the options; which fields need a column depends on the shop.
  readMappingOptions(recordType, fieldsWith(SHOP_DEFAULTS), options)
  const send = async (client: Client) => {
    const shop = recordType === 'players' ? await findShopSettings(client) : SHOP_DEFAULTS
    const fields = fieldsWith(shop)
    const mapping = createRecordMapping(recordType, fields, options, note)
    const findChanges = findChangesWith(shop)
    await sendFile(client, {
      ...{ keepsFilled: recordType === 'players' && options.blank !== true, sameOrders, timeZone },
      ...{ route, fields, mapping, source, dryRun, skippedPaths, dateFormat, shop, findChanges, isIgnored, url, json },
    })
  }
  await withClient(url, send, { sendsMany: true })
}

/** The settings of the shop; the defaults, which most shops have, if the token may not read them. */
async function findShopSettings({ call }: Client): Promise<ShopSettings> {
  try {
    const { settings } = await call('GET /api/admin/settings')
    return shopSettingsIn(settings)
  } catch (error) {
    if (isRefusal(error)) return SHOP_DEFAULTS
    throw error
  }
}

/** What the service says of settings that this program knows. Errors: NotLaurel. */
function shopSettingsIn(settings: RouteResponse<'GET /api/admin/settings'>['settings']): ShopSettings {
  try {
    return listedShopSettings(settings)
  } catch (error) {
    if (error instanceof InvalidInput)
      throw new NotLaurel(`the service has a setting that this version cannot read: ${error.path}: ${error.message}`)
    throw error
  }
}

async function sendFile(client: Client, task: Import): Promise<void> {
  const { fields, mapping, source, dryRun, skippedPaths, findChanges, isIgnored } = task
  const outcome = createOutcome()
  const { counts, findings, reasons, advice, leftOut } = outcome
  const reading = { rows: 0, passedOver: 0, joined: 0, isDated: false, sorted: undefined as number | undefined }
  const progress = showFileProgress(() => progressOf(reading, counts.read, mapping, source))
  const events: ReadingEvents = {
    onRow: () => {
      reading.rows += 1
      if (reading.rows % BATCH_RECORDS === 0) progress.update()
    },
    onPassedOver: () => {
      reading.passedOver += 1
    },
    onJoined: (isDated) => {
      reading.joined += 1
      reading.isDated = isDated
    },
    isIgnored: (record) => {
      const ignored = isIgnored(record)
      if (ignored) {
        counts.read += 1
        counts.ignored += 1
      }
      return ignored
    },
    onSorted: async (count, orders) => {
      const zone = mapping.assumedZone() && assumedZoneText(task.timeZone, await findProgramZone(client))
      if (zone !== undefined) note(zone)
      if (!dryRun && (await mayHaveOrders(client))) {
        await previewOrders(client, task, orders, findings)
        refuseUsedAgain(findings, task)
        if (findings.outOfOrder > 0) note(outOfOrderText(findings.outOfOrder))
      }
      reading.sorted = count
    },
  }
  const skipped = openSkippedFile(skippedPaths)
  const files = () => ({ skippedPath: skippedPaths.path, earlierPath: skipped.setAside() })
  const refuse = ({ record: refused, issues: reported }: Refused) => {
    const { line, record, issues: ofFile } = refused
    const issues = collectFieldIssues(fields, record, reported).map((issue) => inWordsOfFile(issue, refused))
    const [first, ...more] = issues
    skipped.add({ line, ...first, ...(more.length === 0 ? {} : { more }), record })
    const cellOf = ({ field = '' }: RecordIssue) => (record as SourceRow | null)?.[field]
    const isNobodys = (issue: RecordIssue) => CUSTOMERS.includes(issue.field ?? '') && isBlank(cellOf(issue))
    // Nothing else helps a record without a customer.
    const only = issues.find(isNobodys)
    for (const issue of issues) reasons.add(line, issue, cellOf(issue), only === undefined || issue === only)
    // No setting helps against an issue of the file itself.
    const changes = ofFile.length > 0 ? undefined : findChanges(record, issues)
    if (changes !== undefined) advice.add(changes)
    counts.invalid += 1
  }
  try {
    for await (const batch of batchesOf(importRecords(source, mapping, events, createDiskSort))) {
      const good = batch.filter(({ issues }) => issues.length === 0)
      if (good.length > 0) {
        const response = await send(client, task, good, dryRun)
        if (dryRun) addFindings(findings, response, good)
        skipped.begin()
        for (const refused of count(counts, response, good)) refuse(refused)
      }
      for (const record of batch) if (record.issues.length > 0) refuse({ record, issues: record.issues })
      for (const record of batch)
        for (const issue of record.leftOut ?? []) leftOut.add(record.line, inWordsOfFile(issue, record))
      counts.read += batch.length
      progress.update()
      await skipped.drained()
    }
  } catch (error) {
    progress.stop()
    if (counts.read > 0) printOutcome(outcome, { ...task, ...files(), complete: false, commands: [] })
    throw error
  } finally {
    await skipped.close()
  }
  skipped.begin()
  progress.stop()
  if (reading.passedOver > 0) note(passedOverText(reading.passedOver, mapping.recordColumns))
  if (reading.joined > 0) note(joinedText(reading, mapping))
  if (counts.read === 0) note('the file has no record')
  const commands = dryRun ? await proposedCommands(client, task, advice.changes()) : []
  printOutcome(outcome, { ...task, ...files(), complete: true, commands })
  if (dryRun) refuseUsedAgain(findings, task)
  if (counts.invalid > 0) process.exitCode = EXIT.skipped
}

/** Whether any order is recorded: without one, there is nothing that a file's orders could follow or overwrite. True if the token may not read them, or the service is busy. */
async function mayHaveOrders({ call }: Client): Promise<boolean> {
  try {
    const { orders } = await call('GET /api/admin/orders', { query: { limit: '1' } })
    return orders.length > 0
  } catch (error) {
    // The dry run is repeated until the service is back.
    if (isRefusal(error) || error instanceof Unavailable) return true
    throw error
  }
}

/** Makes a dry run of all orders. With --same-orders it ends with the first batch, unless the program looks at history: there is nothing to find. */
async function previewOrders(
  client: Client,
  task: Import,
  orders: Iterable<ImportRecord>,
  findings: OrderFindings,
): Promise<void> {
  for await (const batch of batchesOf(goodOf(orders))) {
    const response = await send(client, task, batch, true)
    addFindings(findings, response, batch)
    if (task.sameOrders && !('out_of_order' in response)) return
  }
}

/** Errors: OperatorError if orders have the ids of others, unless that is meant. */
function refuseUsedAgain(findings: OrderFindings, { sameOrders, timeZone, mapping }: Import): void {
  if (findings.usedAgain > 0 && !sameOrders)
    throw new OperatorError(usedAgainText(findings, timeZone ?? UTC, mapping.sameIdHints.restart))
}

async function* goodOf(records: Iterable<ImportRecord>): AsyncIterable<ImportRecord> {
  for (const record of records) if (record.issues.length === 0) yield record
}

/** Orders are read and sorted before the first is sent: half of the way each. Other records are sent as they are read. Not rounded: 100 % means done. */
function progressOf(
  { rows, sorted }: Readonly<{ rows: number; sorted: number | undefined }>,
  sent: number,
  { isOfOrders }: RecordMapping,
  source: RecordsFile,
): { records: number; percent: number | undefined } {
  const percent = source.percentRead()
  if (!isOfOrders || percent === undefined)
    return { records: isOfOrders && sorted === undefined ? rows : sent, percent }
  if (sorted === undefined) return { records: rows, percent: Math.floor(percent / 2) }
  return { records: sent, percent: 50 + Math.floor((50 * sent) / Math.max(1, sorted)) }
}

/** Says how many rows of the export are no records, and how the preset tells. */
function passedOverText(rows: number, columns: readonly string[]): string {
  const names = columns.map((column) => shown(column)).join(' or ')
  const counted = rows === 1 ? '1 row' : `${rows} rows`
  return `passed over ${counted} without a value in ${names}`
}

function joinedText(
  { joined, isDated }: Readonly<{ joined: number; isDated: boolean }>,
  { keepsEmpty }: RecordMapping,
): string {
  const which = joined === 1 ? '1 row was' : `${joined} rows were`
  const latest = isDated
    ? 'values of the newest order win'
    : 'the last values in the file win (--map ordered_at=... and --map order_id=... select those of the newest order)'
  const empty = keepsEmpty ? 'even empty ones' : 'and empty cells are ignored (unless --blank is given)'
  return `${which} joined to another row of the same player: ${latest}, ${empty}`
}

function note(text: string): void {
  noteLine`laurel: ${text}`
}

/** The commands to type so that more records are accepted. */
async function proposedCommands(
  client: Client,
  { shop, url }: Import,
  changes: readonly SettingChange[],
): Promise<readonly string[]> {
  const money = moneyLine(changes)
  return commandsFor(shop, changes, { url, isAppendable: money !== undefined && (await canAppend(client, money)) })
}

async function* batchesOf(records: AsyncIterable<ImportRecord>): AsyncIterable<ImportRecord[]> {
  let batch: ImportRecord[] = []
  for await (const record of records) {
    batch.push(record)
    if (batch.length < BATCH_RECORDS) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Sends a batch, and retries while the service is unavailable: an upsert is safe to repeat. */
async function send(
  client: Client,
  { route, keepsFilled }: Import,
  batch: readonly ImportRecord[],
  dryRun: boolean,
): Promise<RouteResponse<ImportRoute>> {
  const query = {
    ...{ details: 'true', unchanged: 'true' },
    ...(dryRun ? { dry_run: 'true' } : {}),
    ...(keepsFilled ? { keep_filled: 'true' } : {}),
  }
  const data = batch.map(({ record }) => withoutUpdateTime(record))
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.call(route, { query, data })
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES_MAX) throw error
      await sleep(250 * 2 ** tries)
    }
  }
}

/** Adds the outcome of a batch to the counts, except for refused records, which it returns. A stale record counts as unchanged. */
function count(
  counts: ImportCounts,
  { results = [], inserted, unchanged = 0 }: RouteResponse<ImportRoute>,
  batch: readonly ImportRecord[],
): Refused[] {
  const refused = results.filter(({ verdict }) => verdict !== 'unchanged' && verdict !== 'stale')
  const stale = results.filter(({ verdict }) => verdict === 'stale')
  counts.inserted += inserted
  counts.unchanged += unchanged + stale.length
  // The wire counts an unchanged player as updated (decision 45), an unchanged product as skipped (decision 45).
  counts.updated += batch.length - inserted - unchanged - stale.length - refused.length
  return refused.map(({ position, path = '', error = '' }) => {
    const record = batch[position]
    if (record === undefined) throw new NotLaurel('the service answered about a record that was not sent')
    return { record, issues: [{ field: path.replace(/^data\[\d+\]\.?/, ''), error }] }
  })
}
