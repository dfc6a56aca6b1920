/*
 * Databases for the backup campaign, as commands are told of them, and what is in them.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCsv, readInvoices } from '../../examples/online-retail/invoices.ts'
import { toPlayers, toProducts } from '../../examples/online-retail/records.ts'
import { type OrderState, toStates } from '../../examples/online-retail/states.ts'
import { withBackupText } from '../../src/database/backup/backup-file.ts'
import { readBackupText } from '../../src/database/backup/backup-text.ts'
import { unseal } from '../../src/database/backup/sealed.ts'
import type { Db } from '../../src/database/db/transaction.ts'
import { openDb } from '../../src/database/open.ts'
import { newDatabase, type PostgresServerOptions, startPostgresServer } from '../support/postgres-server.ts'
import {
  type Ended,
  type Environment,
  runProcess,
  type ServiceProcess,
  startService,
} from '../support/service-process.ts'
import type { CampaignDatabase } from './arguments.ts'
import { EXTRACT, WAITS_ENDS_AND_PAYS } from './real-orders.ts'

/** A database and a directory for tokens, which is also that of the embedded database. `env` is what commands on it are given. */
export type Place = Readonly<{
  database: CampaignDatabase
  data: string
  databaseUrl: string | undefined
  env: Environment
}>

export type Places = Readonly<{
  /** A new place without any database, or with an empty one. */
  open: (database: CampaignDatabase) => Promise<Place>
  /** The path of a file that does not exist. */
  newPath: (name: string) => string
  close: () => Promise<void>
}>

/** Errors of the database end the process. */
const LIMITS = { poolMax: 4, statementTimeoutMs: 0, lockTimeoutMs: 60_000, idleInTransactionTimeoutMs: 0 }

/** Opens a temporary directory, and a server of its own unless there is one of the test run and it needs no options. */
export async function openPlaces(options?: PostgresServerOptions): Promise<Places> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-backup-'))
  const given = options === undefined ? process.env.LAUREL_TEST_DATABASE_URL : undefined
  const own = given === undefined ? await startPostgresServer(options) : undefined
  let made = 0
  const newPath = (name: string) => {
    made += 1
    return join(directory, `${made}-${name}`)
  }
  return {
    newPath,
    async open(database) {
      const data = newPath(database)
      if (database === 'embedded') return { database, data, databaseUrl: undefined, env: { LAUREL_DATA: data } }
      mkdirSync(data)
      const databaseUrl = await newDatabase(given ?? own!.url)
      return { database, data, databaseUrl, env: { LAUREL_DATA: data, DATABASE_URL: databaseUrl } }
    },
    async close() {
      await own?.stop()
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Opens the database of a place, which no other process may hold, and closes it. */
export async function onDatabase<T>({ data, databaseUrl }: Place, act: (db: Db) => Promise<T>): Promise<T> {
  const onFatal = (error: Error) => {
    throw error
  }
  const db = await openDb({ ...LIMITS, databaseUrl, directory: data, onFatal })
  try {
    return await act(db)
  } finally {
    await db.close()
  }
}

/** How many rows each table has, and a digest of them; COPY does not keep their order. */
export type Content = Readonly<Record<string, string>>

/** The moment of the last backup is stored after it. */
const NOT_COMPARED = ['background_work']

/** What is in the database of a place. */
export async function contentOfPlace(place: Place): Promise<Content> {
  let content: Content = {}
  await onDatabase(place, (db) =>
    withBackupText(db, { laurel: '', at: '', onRows: () => undefined }, async (text) => {
      content = await contentOf(text)
    }),
  )
  return content
}

/** What is in a backup. Errors: if a byte of it is not as it was written. */
export async function contentOfFile(path: string): Promise<Content> {
  return contentOf(unseal(createReadStream(path)))
}

async function contentOf(text: AsyncIterable<string>): Promise<Content> {
  const rows = new Map<string, string[]>()
  let table = ''
  for await (const part of readBackupText(text)) {
    if ('table' in part) {
      table = part.table
      rows.set(table, [part.columns.join()])
    } else if ('lines' in part) rows.get(table)!.push(...part.lines.split('\n').slice(0, -1))
  }
  return Object.fromEntries(
    [...rows]
      .filter(([name]) => !NOT_COMPARED.includes(name))
      .map(([name, lines]) => [name, `${lines.length - 1} rows ${hash('sha256', lines.sort().join('\n'))}`]),
  )
}

/** The orders of a real shop: the states of each, and the states of each player in the order of time. */
export type Shop = Readonly<{
  products: readonly object[]
  players: readonly object[]
  states: readonly OrderState[]
  statesOf: ReadonlyMap<string, readonly OrderState[]>
}>

export async function readShop(): Promise<Shop> {
  const invoices = await readInvoices(openCsv(EXTRACT))
  const { states } = toStates(invoices)
  const statesOf = Map.groupBy(states, ({ order }) => order.order_id)
  return { products: toProducts(invoices), players: toPlayers(invoices), states, statesOf }
}

/** Starts a service on a place, and gives it the program, the products and the players of the shop. */
export async function openShop(place: Place, { products, players }: Shop): Promise<ServiceProcess> {
  const service = await startService(place)
  const good = async (asked: Promise<{ status: number; text: string }>) => {
    const { status, text } = await asked
    assert.equal(status, 200, text)
  }
  await good(service.ask('/api/admin/programs', { body: { data: { source: WAITS_ENDS_AND_PAYS } } }))
  await good(service.upsert('products', products))
  await good(service.upsert('players', players))
  return service
}

/** Runs a command that succeeds. */
export async function succeed(args: readonly string[], env: Environment): Promise<string> {
  const { code, stdout, stderr } = await runProcess(args, { env })
  assert.equal(code, 0, `laurel ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}

/** A command that could not do what was asked said why in one sentence. */
export function assertOneSentence({ code, stdout, stderr }: Ended, expected: RegExp): void {
  assert.match(stderr, expected)
  assert.match(stderr, /^laurel: [^\n]+\n$/, `more than a sentence: ${stdout}${stderr}`)
  assert.ok([1, 2, 3].includes(code ?? 0), `ended with ${code}: ${stderr}`)
}
