import { createWriteStream, existsSync, realpathSync, rmSync, type WriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { SingleBar } from 'cli-progress'
import { OperatorError, Unavailable } from '../../errors.ts'
import { balanceFields } from '../../ingest/adjustment.ts'
import { orderFields } from '../../ingest/order.ts'
import { playerFields } from '../../ingest/player.ts'
import { productFields } from '../../ingest/product.ts'
import type { RecordFields } from '../../ingest/record.ts'
import { shown } from '../../ingest/shown.ts'
import type { Client } from '../client.ts'
import { type FileRecord, openRecordsFile, type RecordsFile } from './records-file.ts'

/** At most as many details as an answer carries, so that every skipped record comes back with its reason (decision 49). */
const BATCH_RECORDS = 1_000
const TRIES_MAX = 6
const LINES_EVERY_MS = 5_000
const EXIT_SKIPPED = 4

export type ImportWish = Readonly<{ noun: string; file: string; dryRun: boolean; skippedPath: string | undefined }>

type Detail = { position: number; key?: string; verdict: 'unchanged' | 'invalid'; path: string; error: string }
type ImportReply = { inserted: number; updated: number; skipped: number; results: Detail[] }
type Tally = { read: number; inserted: number; updated: number; unchanged: number; invalid: number }

/** Where each noun goes, and what its records are made of, under the names of the wire. */
const NOUNS = {
  players: { path: '/api/integration/players', fields: playerFields(new Date()) as RecordFields },
  products: { path: '/api/integration/products', fields: productFields as RecordFields },
  orders: { path: '/api/integration/orders', fields: orderFields(0) as RecordFields },
  balances: { path: '/api/admin/balances', fields: balanceFields as RecordFields },
} as const

/**
 * `laurel import`: sends a file in requests of 1,000 records. Safe to run again: what is there already is not written twice.
 * Skipped records go to a file of their own, each with its line and reason. Sets exit code 4 where there are any.
 *
 * Looks at the wish at once, so that a mistyped name costs no opening of a database; answers what is to be done.
 */
export function importFile({
  noun,
  file,
  dryRun,
  skippedPath = `${file}.skipped.ndjson`,
}: ImportWish): (client: Client) => Promise<void> {
  if (!Object.hasOwn(NOUNS, noun))
    throw new OperatorError(`"${noun}" cannot be imported, expected players, products, orders or balances`)
  const { path, fields } = NOUNS[noun as keyof typeof NOUNS]
  const source = openRecordsFile(file)
  if (existsSync(skippedPath) && realpathSync(skippedPath) === realpathSync(file))
    throw new OperatorError(`${skippedPath} is the file to import: the skipped records need another one`)
  const address = `${path}?details=true${dryRun ? '&dry_run=true' : ''}`

  return async (client) => {
    const names = nameWatch(fields)
    const tally: Tally = { read: 0, inserted: 0, updated: 0, unchanged: 0, invalid: 0 }
    const progress = showProgress(source, tally)
    const skipped = skippedFile(skippedPath)
    const tell = (opening: string) => {
      process.stdout.write(`${dryRun ? 'Dry run, nothing was written: ' : ''}${opening}${summaryOf(tally)}\n`)
      if (tally.invalid > 0) process.stdout.write(`the skipped records, with reasons, are in ${skippedPath}\n`)
    }
    try {
      for await (const batch of batchesOf(source.read((columns) => names.first(columns)))) {
        const good = batch.filter(({ fault }) => fault === undefined)
        if (good.length > 0)
          count(
            tally,
            await send(
              client,
              address,
              good.map(({ record }) => names.fit(record)),
            ),
            good,
            skipped,
          )
        const faulty = batch.filter(({ fault }) => fault !== undefined)
        for (const { line, record, fault } of faulty) skipped.add({ line, error: fault, record })
        tally.invalid += faulty.length
        tally.read += batch.length
        progress.update()
      }
    } catch (error) {
      progress.stop()
      if (tally.read > 0) tell('stopped early, ')
      throw error
    } finally {
      await skipped.close()
    }
    progress.stop()
    tell('')
    if (tally.invalid > 0) process.exitCode = EXIT_SKIPPED
  }
}

function summaryOf({ read, inserted, updated, unchanged, invalid }: Tally): string {
  const records = read === 1 ? '1 record' : `${read} records`
  return `${records} read, ${inserted} inserted, ${updated} updated, ${unchanged} unchanged, ${invalid} skipped`
}

type NameWatch = Readonly<{
  /** Looks at the columns of a CSV file. Errors: OperatorError where a required one is missing: every record would be skipped. */
  first: (columns: readonly string[]) => void
  /** A record as it is sent: an empty cell of an optional column is left out, for a row of CSV cannot leave out a field. */
  fit: (record: unknown) => unknown
}>

const UNKNOWN_TOLD_MAX = 20

/** Watches the names that a file uses. One that no record has is most often mistyped, so it is told, once. */
function nameWatch(fields: RecordFields): NameWatch {
  const known = new Map(Object.values(fields).map((field) => [field.wire, field]))
  const told = new Set<string>()
  let isCsv = false
  const warn = (names: readonly string[]) => {
    const unknown = names.filter((name) => !known.has(name) && !told.has(name)).slice(0, UNKNOWN_TOLD_MAX - told.size)
    if (unknown.length === 0) return
    for (const name of unknown) told.add(name)
    const shownNames = unknown.map((name) => shown(name)).join(', ')
    process.stderr.write(
      `laurel: ignored, for no record has such a field: ${shownNames}; expected ${[...known.keys()].join(', ')}\n`,
    )
  }
  return {
    first: (columns) => {
      isCsv = true
      const missing = [...known.values()].filter(({ required, wire }) => required && !columns.includes(wire))
      if (missing.length > 0)
        throw new OperatorError(
          missingColumns(
            columns,
            missing.map(({ wire }) => wire),
          ),
        )
      warn(columns)
    },
    fit: (record) => {
      if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
      if (!isCsv) {
        if (told.size < UNKNOWN_TOLD_MAX) warn(Object.keys(record))
        return record
      }
      const cells = Object.entries(record).filter(([name, cell]) => cell !== '' || known.get(name)?.required === true)
      return Object.fromEntries(cells)
    },
  }
}

function missingColumns(columns: readonly string[], missing: readonly string[]): string {
  const [only = ''] = columns
  const hint =
    columns.length === 1 && /[;\t|]/.test(only)
      ? '; the columns look separated by something else than a comma'
      : missing.flatMap((name) => {
          const alike = columns.find((column) => column.trim().toLowerCase() === name.toLowerCase())
          return alike === undefined ? [] : [`; it has ${shown(alike)}, write ${name}`]
        })[0]
  return `the first line has no column ${missing.join(', ')}${hint ?? ''}`
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
async function send(client: Client, path: string, records: readonly unknown[]): Promise<ImportReply> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await client.call('POST', path, records)) as ImportReply
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES_MAX) throw error
      await sleep(250 * 2 ** tries)
    }
  }
}

function count(tally: Tally, answer: ImportReply, batch: readonly FileRecord[], skipped: SkippedFile): void {
  const invalid = answer.results.filter(({ verdict }) => verdict === 'invalid')
  tally.inserted += answer.inserted
  tally.updated += answer.updated
  tally.invalid += invalid.length
  tally.unchanged += answer.skipped - invalid.length
  for (const { position, path, error } of invalid) {
    const { line, record } = batch[position]!
    skipped.add({ line, field: path.replace(/^data\[\d+\]\.?/, ''), error, record })
  }
}

type SkippedFile = Readonly<{ add: (entry: object) => void; close: () => Promise<void> }>

/** A file of NDJSON that exists only if there is something in it; one of an earlier run is removed. */
function skippedFile(path: string): SkippedFile {
  rmSync(path, { force: true })
  let stream: WriteStream | undefined
  let failure: Error | undefined
  return {
    add: (entry) => {
      if (stream === undefined) {
        stream = createWriteStream(path, { mode: 0o600 }) // Skipped players are persons too.
        stream.on('error', (error) => {
          failure = error
        })
      }
      stream.write(`${JSON.stringify(entry)}\n`)
    },
    close: async () => {
      if (stream === undefined) return
      await new Promise<void>((resolve) => stream!.end(resolve))
      if (failure !== undefined)
        throw new OperatorError(`cannot write the skipped records to ${path} (${failure.message})`)
    },
  }
}

/** A bar on a terminal, a line every few seconds elsewhere; both on standard error. */
function showProgress(source: RecordsFile, tally: Tally): { update: () => void; stop: () => void } {
  if (!process.stderr.isTTY) {
    let toldAt = performance.now()
    const update = () => {
      if (performance.now() - toldAt < LINES_EVERY_MS) return
      toldAt = performance.now()
      process.stderr.write(`${tally.read} records read, ${percent(source)} % of the file\n`)
    }
    return { update, stop: () => undefined }
  }
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {records} records | {duration_formatted}',
    stream: process.stderr,
    barsize: 40,
    hideCursor: true,
  })
  let isDrawn = false
  const update = () => {
    // Not before the first records: until then a warning may have to be written.
    if (!isDrawn) bar.start(100, 0, { records: 0 })
    isDrawn = true
    bar.update(percent(source), { records: tally.read })
  }
  return { update, stop: () => bar.stop() }
}

function percent(source: RecordsFile): number {
  return source.bytes === 0 ? 100 : Math.floor((100 * source.bytesRead()) / source.bytes)
}
