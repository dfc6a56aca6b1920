import { existsSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { Answer } from '../../http/routes/answers.ts'
import { balanceFields } from '../../ingest/adjustment.ts'
import { orderFields } from '../../ingest/order.ts'
import { playerFields } from '../../ingest/player.ts'
import { productFields } from '../../ingest/product.ts'
import type { RecordFields } from '../../ingest/record.ts'
import { SHOP_DEFAULTS, type ShopSettings, shopSettingsWith } from '../../ingest/shop-settings.ts'
import { type Client, withClient } from '../client.ts'
import { EXIT } from '../exit-codes.ts'
import { CommandFailed } from '../failure.ts'
import { createFieldNameCheck } from '../input/field-names.ts'
import { type FileRecord, openRecordsFile, type RecordsFile } from '../input/records-file.ts'
import { showFileProgress } from '../output/progress.ts'
import { openSkippedFile, type SkippedFile } from '../output/skipped-file.ts'

export type ImportOptions = Readonly<{ url?: string; dryRun?: true; skipped?: string }>

type ImportRoute =
  | 'POST /api/integration/players'
  | 'POST /api/integration/products'
  | 'POST /api/integration/orders'
  | 'POST /api/admin/balances'

type Import = Readonly<{
  route: ImportRoute
  fields: RecordFields
  source: RecordsFile
  dryRun: boolean
  skippedPath: string
}>

type Counts = { read: number; inserted: number; updated: number; unchanged: number; invalid: number }

/** At most as many details as an answer carries, so that every skipped record comes back with its reason (decision 49). */
const BATCH_RECORDS = 1_000
const TRIES_MAX = 6

/** Where each noun goes, and what its records are made of, under the names of the wire. */
const NOUNS: Readonly<Record<string, { route: ImportRoute; fieldsFor: (client: Client) => Promise<RecordFields> }>> = {
  players: {
    route: 'POST /api/integration/players',
    fieldsFor: async (client) => playerFields(new Date(), await findShopSettings(client)),
  },
  products: { route: 'POST /api/integration/products', fieldsFor: async () => productFields },
  orders: { route: 'POST /api/integration/orders', fieldsFor: async () => orderFields },
  balances: { route: 'POST /api/admin/balances', fieldsFor: async () => balanceFields },
}

/**
 * `laurel import`: sends a file in requests of 1,000 records. Safe to run again: what is there already is not written twice.
 * Skipped records go to a file of their own, each with its line and reason. Sets exit code 4 where there are any.
 */
export async function importFile(noun: string, file: string, options: ImportOptions): Promise<void> {
  const { url, dryRun = false, skipped: skippedPath = `${file}.skipped.ndjson` } = options
  // What can be wrong with the command comes first, so that a mistyped name costs no opening of a database.
  if (!Object.hasOwn(NOUNS, noun))
    throw new OperatorError(`"${noun}" cannot be imported, expected players, products, orders or balances`)
  const source = openRecordsFile(file)
  if (existsSync(skippedPath) && realpathSync(skippedPath) === realpathSync(file))
    throw new OperatorError(`${skippedPath} is the file to import: the skipped records need another one`)
  const { route, fieldsFor } = NOUNS[noun]!
  await withClient(url, async (client) =>
    sendFile(client, { route, fields: await fieldsFor(client), source, dryRun, skippedPath }),
  )
}

/** The settings of the shop; the defaults, which most shops have, where the token may not ask for them. */
async function findShopSettings({ call }: Client): Promise<ShopSettings> {
  try {
    const { settings } = await call('GET /api/admin/settings')
    return shopSettingsWith(Object.fromEntries(settings.map(({ key, value }) => [key, value])))
  } catch (error) {
    if (error instanceof CommandFailed) return SHOP_DEFAULTS
    throw error
  }
}

async function sendFile(client: Client, { route, fields, source, dryRun, skippedPath }: Import): Promise<void> {
  const names = createFieldNameCheck(fields)
  const counts: Counts = { read: 0, inserted: 0, updated: 0, unchanged: 0, invalid: 0 }
  const progress = showFileProgress(() => ({ records: counts.read, percent: percentRead(source) }))
  const skipped = openSkippedFile(skippedPath)
  const summarize = (opening: string) => {
    process.stdout.write(`${dryRun ? 'Dry run, nothing was written: ' : ''}${opening}${summaryOf(counts)}\n`)
    if (counts.invalid > 0) process.stdout.write(`the skipped records, with reasons, are in ${skippedPath}\n`)
  }
  try {
    for await (const batch of batchesOf(source.read(names.checkColumns))) {
      const good = batch.filter(({ fault }) => fault === undefined)
      if (good.length > 0) {
        const records = good.map(({ record }) => names.fit(record))
        const answer = await send(client, route, records, dryRun)
        skipped.begin()
        count(counts, answer, good, skipped)
      }
      const faulty = batch.filter(({ fault }) => fault !== undefined)
      for (const { line, record, fault } of faulty) skipped.add({ line, error: fault, record })
      counts.invalid += faulty.length
      counts.read += batch.length
      progress.update()
    }
  } catch (error) {
    progress.stop()
    if (counts.read > 0) summarize('stopped early, ')
    throw error
  } finally {
    await skipped.close()
  }
  skipped.begin()
  progress.stop()
  summarize('')
  if (counts.invalid > 0) process.exitCode = EXIT.skipped
}

function summaryOf({ read, inserted, updated, unchanged, invalid }: Counts): string {
  const records = read === 1 ? '1 record' : `${read} records`
  return `${records} read, ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ${invalid} skipped`
}

async function* batchesOf(records: AsyncIterable<FileRecord>): AsyncIterable<FileRecord[]> {
  let batch: FileRecord[] = []
  for await (const record of records) {
    batch.push(record)
    if (batch.length < BATCH_RECORDS) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Sends a batch, and again where the service cannot answer now: an upsert is safe to repeat. */
async function send(
  client: Client,
  route: ImportRoute,
  records: readonly unknown[],
  dryRun: boolean,
): Promise<Answer<ImportRoute>> {
  const query = { details: 'true', ...(dryRun ? { dry_run: 'true' } : {}) }
  for (let tries = 1; ; tries += 1) {
    try {
      return await client.call(route, { query, data: records })
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES_MAX) throw error
      await sleep(250 * 2 ** tries)
    }
  }
}

function count(
  counts: Counts,
  { results = [], inserted, updated, skipped }: Answer<ImportRoute>,
  batch: readonly FileRecord[],
  skippedFile: SkippedFile,
): void {
  const invalid = results.filter(({ verdict }) => verdict === 'invalid')
  counts.inserted += inserted
  counts.updated += updated
  counts.invalid += invalid.length
  counts.unchanged += skipped - invalid.length
  for (const { position, path = '', error } of invalid) {
    const { line, record } = batch[position]!
    skippedFile.add({ line, field: path.replace(/^data\[\d+\]\.?/, ''), error, record })
  }
}

function percentRead({ bytes, bytesRead }: RecordsFile): number {
  return bytes === 0 ? 100 : Math.floor((100 * bytesRead()) / bytes)
}
