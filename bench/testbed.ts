/*
 * The environment of the measurements: a PostgreSQL server with fsync, and data directories that are filled once and copied for each run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readerOf } from '../src/database/db/reader.ts'
import type { Db } from '../src/database/db/transaction.ts'
import { openPglite } from '../src/database/embedded/driver.ts'
import { openDb } from '../src/database/open.ts'
import { loadPrograms } from '../src/resources/programs/stored-programs.ts'
import { foldAccounts } from '../src/resources/statistics/fold-accounts.ts'
import { sweepAccounts } from '../src/resources/statistics/sweep-accounts.ts'
import { type PostgresServer, runOnce, startPostgresServer } from '../test/support/postgres-server.ts'
import { type ServiceProcess, startService, tokenIn } from '../test/support/service-process.ts'
import { PLAYERS_PATH, PRODUCTS_PATH, sendAll } from './http.ts'
import { ANALYZE_LEDGER, accountsWithEntries } from './ledger-rows.ts'
import { aPlayer, aProduct, bodiesOf } from './samples.ts'

export type Database = 'embedded' | 'postgres'

/** The data of a service that does not run: its directory, its database if that is PostgreSQL's, and the checkout whose service it is. */
export type Data = Readonly<{ directory: string; databaseUrl?: string; checkout?: string }>

/** How many players and products there are, and how many of the players, spread evenly, have an account with entries (absent: none). */
export type Size = Readonly<{ players: number; products: number; accounts?: number }>

/** How many entries such an account has. The embedded database would take minutes to fill, and seconds to copy, with as many as a usual one. */
export const ACCOUNT_ENTRIES: Readonly<Record<Database, number>> = { postgres: 16, embedded: 4 }

export type RunningService = ServiceProcess & Readonly<{ token: string }>

export type Testbed = Readonly<{
  server: PostgresServer
  /**
   * The data of one size, created on first use by the service of a checkout (absent: this one). Never start a service on them: they are what every
   * run is copied from.
   */
  filled(database: Database, size: Size, checkout?: string): Promise<Data>
}>

/** The schema and the first token, and nothing else. */
export const EMPTY: Size = { players: 0, products: 0 }

/** `settings` are those of the PostgreSQL server, beside its defaults. */
export async function openTestbed(settings: Readonly<Record<string, string>> = {}): Promise<Testbed> {
  const server = await startPostgresServer({ durable: true, settings })
  const made = new Map<string, Promise<Data>>()
  const filled = (database: Database, size: Size, checkout?: string): Promise<Data> => {
    const name = `${database} ${size.players} ${size.products} ${size.accounts} ${checkout}`
    const data = made.get(name) ?? fill(server, database, size, checkout)
    made.set(name, data)
    return data
  }
  return { server, filled }
}

async function fill(
  server: PostgresServer,
  database: Database,
  { players, products, accounts = 0 }: Size,
  checkout?: string,
): Promise<Data> {
  const data: Data = {
    directory: newDirectory(),
    ...(database === 'postgres' ? { databaseUrl: await server.newDatabase() } : {}),
    ...(checkout === undefined ? {} : { checkout }),
  }
  const service = await start(data)
  for (let from = 0; from < players; from += FILLED_AT_ONCE) {
    const records = Math.min(FILLED_AT_ONCE, players - from)
    await sendAll(service, PLAYERS_PATH, { bodies: bodiesOf(aPlayer, { records, each: 5_000, from }), connections: 2 })
  }
  await sendAll(service, PRODUCTS_PATH, {
    bodies: bodiesOf(aProduct, { records: products, each: 5_000 }),
    connections: 2,
  })
  await service.stop()
  if (accounts > 0) {
    await runSql(data, [
      accountsWithEntries(membersOf(players, accounts), ACCOUNT_ENTRIES[database], 5),
      ANALYZE_LEDGER,
    ])
    await countAccounts(data)
  }
  // Autovacuum would do this within a minute, possibly during a measurement.
  if (data.databaseUrl !== undefined && players > 0) await runOnce(data.databaseUrl, 'vacuum (analyze)')
  return data
}

/** A query for the ids of some of the sample players, spread evenly over all. */
function membersOf(players: number, some: number): string {
  return `select 'user-' || lpad((n * ${players}::bigint / ${some})::text, 8, '0') from generate_series(0, ${some - 1}) as n`
}

const FILLED_AT_ONCE = 100_000

/** Runs `act` on a copy of the data, and deletes the copy. */
export async function onCopy<T>({ server }: Testbed, data: Data, act: (copy: Data) => Promise<T>): Promise<T> {
  const copy: Data = {
    ...data,
    directory: newDirectory(),
    ...(data.databaseUrl === undefined ? {} : { databaseUrl: await copyDatabase(server, data.databaseUrl) }),
  }
  cpSync(data.directory, copy.directory, { recursive: true })
  try {
    return await act(copy)
  } finally {
    if (copy.databaseUrl !== undefined)
      await runOnce(server.url, `drop database ${nameOf(copy.databaseUrl)} with (force)`)
    rmSync(copy.directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs scripts of statements, one after the other, on the data of a service that does not run. */
export async function runSql({ directory, databaseUrl }: Data, scripts: readonly string[]): Promise<void> {
  if (databaseUrl !== undefined) {
    for (const script of scripts) await runOnce(databaseUrl, script)
    return
  }
  const driver = await openPglite(directory, {
    onFatal(error) {
      throw error
    },
  })
  const session = await driver.session(performance.now() + DAY_MS)
  for (const script of scripts) await session.script(script)
  session.release(false)
  await driver.close()
}

const DAY_MS = 86_400_000
const TIMEOUT_MS = 60_000

/** As a service does it once with accounts that it finds: for minutes, on half a core. Each start would begin with it. */
export async function countAccounts(data: Data): Promise<void> {
  const db = await openData(data)
  try {
    const reader = readerOf(db, performance.now() + TIMEOUT_MS)
    const [figures] = await reader.query(`select from pg_class where relname = 'account_figures'`)
    // A checkout to compare with may be older than they are.
    if (figures === undefined) return
    const programs = await loadPrograms(db, performance.now() + TIMEOUT_MS)
    const deps = { db, now: () => new Date(), programs: () => programs }
    await foldAccounts(deps)
    await sweepAccounts(deps)
  } finally {
    await db.close()
  }
}

/** Opens the data of a service that does not run. */
export async function openData({ directory, databaseUrl }: Data): Promise<Db> {
  return await openDb({
    ...{ databaseUrl, directory, poolMax: 2, sharedBuffersMb: undefined },
    ...{ statementTimeoutMs: TIMEOUT_MS, lockTimeoutMs: TIMEOUT_MS, idleInTransactionTimeoutMs: TIMEOUT_MS },
    onRetry: () => undefined,
    onFatal(error) {
      throw error
    },
  })
}

/** Runs `act` on a service on a copy of the data. */
export async function withService<T>(
  testbed: Testbed,
  data: Data,
  act: (service: RunningService) => Promise<T>,
): Promise<T> {
  return await onCopy(testbed, data, async (copy) => {
    const service = await start(copy)
    try {
      return await act(service)
    } finally {
      await service.kill()
    }
  })
}

/** Starts the service as a user would. Resolves when it is ready. */
export async function start({ directory, databaseUrl, checkout }: Data): Promise<RunningService> {
  const service = await startService({
    data: directory,
    env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'info' },
    ...(checkout === undefined ? {} : { checkout }),
  })
  return { ...service, token: tokenIn(directory) }
}

/** Starts one of the services that ours is compared with as a separate process, and stops it after `act`. */
export async function withOther<T>(
  file: string,
  environment: Readonly<Record<string, string>>,
  act: (target: Readonly<{ url: string; pid?: number }>) => Promise<T>,
): Promise<T> {
  const path = fileURLToPath(new URL(`others/${file}`, import.meta.url))
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', ...environment }
  const child = spawn(process.execPath, [path], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  try {
    const url = await firstLineOf(child)
    return await act({ url, ...(child.pid === undefined ? {} : { pid: child.pid }) })
  } finally {
    process.off('exit', end)
    end()
    await ended
  }
}

async function firstLineOf(child: ChildProcess): Promise<string> {
  const [printed] = await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`a service compared with ended with code ${code}`))),
  ])
  return String(printed).trim()
}

/** A file that every user may read, as the PostgreSQL server must. It is deleted when the process ends. */
export function newFile(content: string): string {
  const directory = newDirectory()
  chmodSync(directory, 0o755)
  const file = join(directory, 'file')
  writeFileSync(file, content, { mode: 0o644 })
  return file
}

/** A directory that is deleted when the process ends. */
function newDirectory(): string {
  home ??= makeHome()
  return mkdtempSync(join(home, 'data-'))
}

let home: string | undefined

function makeHome(): string {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-bench-'))
  chmodSync(directory, 0o755)
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

async function copyDatabase(server: PostgresServer, url: string): Promise<string> {
  const copy = new URL(url)
  copyCount += 1
  copy.pathname = `/copy_${copyCount}`
  // The other strategy writes every page to the WAL, which is slow for a large database.
  await runOnce(server.url, `create database ${nameOf(copy.href)} template ${nameOf(url)} strategy file_copy`)
  return copy.href
}

let copyCount = 0

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}
