/*
 * A real PostgreSQL server for tests, on a free port of 127.0.0.1, with its data in the temporary directory.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { chmod, chown, mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'

export interface PostgresServer {
  /** The URL of its database `postgres`, as superuser, without a password. The port stays the same after a restart. */
  readonly url: string
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>
  /** Stops it as an administrator would: sessions are ended, data is written. The data is kept for `restart` until the process ends. */
  stop(): Promise<void>
  /** Simulates a crash: SIGKILL; data that was not written is lost. */
  kill(): Promise<void>
  /** Stops it if it runs, and starts it on the same data and port. */
  restart(): Promise<void>
  /** Restarts it, and starts a standby that follows it: this server then commits nothing that the standby has not. */
  newStandby(): Promise<PostgresServer>
}

export interface PostgresServerOptions {
  /** Whether it survives a power failure (fsync), for kill campaigns. Off by default, for speed. */
  readonly durable?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Lines of pg_hba.conf; by default everybody may connect from this machine. */
  readonly rules?: readonly string[]
  /** Files by name, to be put beside the data, where only the server can read them. */
  readonly files?: Readonly<Record<string, string>>
}

const startMsMax = 60_000
const RENAME_ROUNDS_MAX = 3
const OBJECT_IN_USE = '55006'
const run = promisify(execFile)
let binaries: Promise<PostgresBinaries> | undefined

/**
 * Starts a server for the caller, in about a second. It is stopped and deleted when the process ends.
 *
 * Errors  with the reason, when there is none for this platform or it does not start within a minute
 */
export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  binaries ??= findPostgresBinaries()
  const programs = await binaries
  const data = await makeDataDirectory(programs)
  for (const [name, text] of Object.entries(filesOf(options))) await writeOwn(programs, join(data, name), text)
  return await startOn(data, programs, options)
}

async function startOn(
  data: string,
  programs: PostgresBinaries,
  options: PostgresServerOptions,
): Promise<PostgresServer> {
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    child = await startUntilReady(programs, serverArguments(data, port, options), url)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || hasEnded(child)) return
    child.ref()
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  process.once('exit', () => {
    child?.kill('SIGKILL')
    for (const folder of [data, programs.copy])
      if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await start()
  return {
    url,
    newDatabase: () => newDatabase(url),
    stop: () => end('SIGINT'),
    async kill() {
      const sessions = await childrenOf(child?.pid)
      await end('SIGKILL')
      // A session that has not noticed yet would still answer.
      for (const pid of sessions) killIfThere(pid)
    },
    async restart() {
      await end('SIGINT')
      await start()
    },
    async newStandby() {
      await end('SIGINT')
      const copy = await newOwnDirectory(programs)
      // As its owner: the files stay those of the server.
      await run('cp', ['-R', `${data}/.`, copy], { ...programs.owner, cwd: '/' })
      await writeOwn(programs, join(copy, 'standby.signal'), '')
      await start()
      const following = { primary_conninfo: `host=127.0.0.1 port=${port} user=postgres` }
      const standby = await startOn(copy, programs, { ...options, settings: { ...options.settings, ...following } })
      await runOnce(url, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()')
      return standby
    },
  }
}

/** Runs statements, each by itself. */
export type Run = (...statements: readonly string[]) => Promise<void>

/** Creates a database with a unique name on the server at `url`, empty or as a copy of another. Returns its URL. */
export async function newDatabase(
  url: string,
  template = 'template1',
  run: Run = (...statements) => runOnce(url, ...statements),
): Promise<string> {
  const name = uniqueName()
  await run(`create database ${name} template ${template}`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

function uniqueName(): string {
  return `laurel_test_${randomBytes(8).toString('hex')}`
}

/**
 * Ends all sessions in a database and gives it another unique name, on each server in turn. A service that still runs opens no new ones meanwhile.
 * Returns its URL.
 */
export async function renameDatabase(database: string, servers: readonly Run[]): Promise<string> {
  const address = new URL(database)
  const from = address.pathname.slice(1)
  const to = uniqueName()
  const statements = [
    `alter database ${from} with allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`,
    `alter database ${from} rename to ${to}`,
    `alter database ${to} with allow_connections true`,
  ]
  for (const run of servers) await untilUnused(() => run(...statements))
  address.pathname = `/${to}`
  return address.href
}

async function untilUnused(rename: () => Promise<void>): Promise<void> {
  for (let round = 1; ; round += 1)
    try {
      return await rename()
    } catch (error) {
      // A session that was being opened meanwhile can survive a round: the server then waits for 5 seconds and refuses to rename.
      if ((error as { code?: string }).code !== OBJECT_IN_USE || round === RENAME_ROUNDS_MAX) throw error
    }
}

/** Runs statements, each by itself, over a connection of their own. */
export async function runOnce(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  // Without this, a server that stops between the query and the disconnect would end this process too. A failing query still rejects.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await runOn(client, statements)
  } finally {
    await client.end()
  }
}

export async function runOn(client: pg.Client, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await client.query(sql)
}

async function newOwnDirectory({ owner }: PostgresBinaries): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'laurel-postgres-'))
  await chmod(directory, 0o700)
  if (owner.uid !== undefined) await chown(directory, owner.uid, owner.gid ?? owner.uid)
  return directory
}

async function makeDataDirectory(programs: PostgresBinaries): Promise<string> {
  const { initdb, owner } = programs
  const data = await newOwnDirectory(programs)
  const options = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
    '--no-instructions',
  ]
  try {
    await run(initdb, ['-D', data, ...options], { ...owner, cwd: '/' })
  } catch (error) {
    rmSync(data, { recursive: true, force: true })
    throw new Error(`initdb of the test server failed: ${(error as Error).message}`, { cause: error })
  }
  return data
}

function filesOf({ rules, files }: PostgresServerOptions): Readonly<Record<string, string>> {
  return { ...files, ...(rules && { 'pg_hba.conf': `${rules.join('\n')}\n` }) }
}

async function writeOwn({ owner }: PostgresBinaries, file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 })
  if (owner.uid !== undefined) await chown(file, owner.uid, owner.gid ?? owner.uid)
}

function serverArguments(data: string, port: number, options: PostgresServerOptions): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '', // The path of a socket may be at most 107 bytes long; temporary directories are longer at times.
    log_min_messages: 'warning',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...options.settings,
  }
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

async function startUntilReady(programs: PostgresBinaries, argv: string[], url: string): Promise<ChildProcess> {
  const giveUpAt = performance.now() + startMsMax
  let attempt = launch(programs, argv)
  while (performance.now() < giveUpAt) {
    await sleep(50)
    if (await responses(url)) {
      // The process can end although a server runs; the server is then stopped with it.
      attempt.child.unref()
      return attempt.child
    }
    if (!hasEnded(attempt.child)) continue
    // After a kill, sessions of the old server live on for a moment, and the new server refuses to start meanwhile.
    if (!/pre-existing shared memory|lock file/.test(attempt.log())) break
    attempt = launch(programs, argv)
  }
  attempt.child.kill('SIGKILL')
  throw new Error(`the PostgreSQL test server does not start; its log ends: ${attempt.log()}`)
}

function launch({ postgres, owner }: PostgresBinaries, argv: string[]): { child: ChildProcess; log: () => string } {
  const child = spawn(postgres, argv, { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000)
  })
  ;(child.stderr as Socket).unref()
  child.on('error', (error) => {
    log += error.message
  })
  return { child, log: () => log }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** The processes that a process has started; none where the platform has no `pgrep`. */
async function childrenOf(pid: number | undefined): Promise<number[]> {
  const { stdout } = await run('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.trim().split('\n').filter(Boolean).map(Number)
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Whether a server answers at a URL. */
export async function responses(url: string): Promise<boolean> {
  return await runOnce(url, 'select 1').then(
    () => true,
    () => false,
  )
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
