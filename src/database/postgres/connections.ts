/*
 * ServerConnections to a server, or to a pooler in front of it: how to reach it is found out by trying.
 */
import pg from 'pg'
import type { Address, Encryption } from './address.ts'
import { valueReader } from './values.ts'

/** Where a session gets its settings: as it starts, by statements after that, or, as each transaction may have another session, in each of them. */
type SettingsAt = 'start' | 'session' | 'transaction'

/** How to connect. `encryption` is an index into those of the address. */
type Way = Readonly<{ encryption: number; settingsAt: SettingsAt }>

/** SessionSettings of a session, by their names in PostgreSQL. */
export type SessionSettings = Readonly<Record<string, string | number>>

export type ServerConnections = Readonly<{
  /** A connection with all settings. Errors: those of the server or the network. */
  connect(): Promise<pg.PoolClient>
  /** The statement that begins a transaction. */
  begin(): string
  /** Whether a prepared statement is there in the next transaction. */
  keepsPrepared(): boolean
  /** Closes idle connections now, and those in use on their release. */
  end(): Promise<void>
}>

const CONNECT_TIMEOUT_MS = 5_000
/** The server looks once a second whether the client is there: a batch of an abandoned request does not run on to its end. Servers on Windows cannot. */
const NOTICE_LOSS = 'set client_connection_check_interval = 1000'
/** What a pooler sets again for each client, whatever session it gets next. */
const KEPT_BY_POOLERS = new Set(['timezone', 'datestyle'])
/** Without effect where statements are not prepared, or not on this side of a pooler. */
const OF_ONE_SESSION = /^(?:plan_cache_mode|enable_|jit|tcp_)/

/**
 * ServerConnections to a server, at most `max`, whose sessions have these settings; the operator's own in the address win. Does not connect yet.
 */
export function openConnections(address: Address, max: number, settings: SessionSettings): ServerConnections {
  const all = { ...settings, ...settingsIn(address.options) }
  let way: Way = { encryption: 0, settingsAt: 'start' }
  let pool = poolFor(way)
  const ending = new Set<Promise<void>>()

  function poolFor({ encryption, settingsAt }: Way): pg.Pool {
    const config: pg.PoolConfig = {
      ...clientConfig(address, address.encryptions[encryption]!),
      ...(settingsAt === 'start' && { options: startOptions(all) }),
      max,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      types: { getTypeParser: valueReader } as NonNullable<pg.PoolConfig['types']>,
      async onConnect(client) {
        // Without a listener, losing a connection between queries would end the process; the next query reports it.
        client.on('error', () => undefined)
        if (settingsAt === 'start') await assertDirect(client)
        else await client.query(setStatements(all, settingsAt))
        if (settingsAt !== 'transaction') await client.query(NOTICE_LOSS).catch(() => undefined)
      },
    }
    const made = new pg.Pool(config)
    // An idle connection was lost. The pool has already dropped it, and the next query opens another.
    made.on('error', () => undefined)
    return made
  }

  function endPool(ended: pg.Pool): void {
    const closing = ended.end().finally(() => ending.delete(closing))
    ending.add(closing)
  }

  async function nextWay({ encryption, settingsAt }: Way, error: unknown): Promise<Way | undefined> {
    if (isAboutSettings(error) && settingsAt === 'start')
      return {
        encryption,
        settingsAt: await settingsBehindPooler(clientConfig(address, address.encryptions[encryption]!)),
      }
    if (isAboutEncryption(error) && address.encryptions.length > 1)
      return { encryption: (encryption + 1) % address.encryptions.length, settingsAt }
    return undefined
  }

  return {
    async connect() {
      for (let attempts = 1; ; attempts += 1) {
        const used = { way, pool }
        try {
          return await pool.connect()
        } catch (error) {
          const next = attempts > address.encryptions.length ? undefined : await nextWay(used.way, error)
          if (next === undefined) throw error
          if (used.pool !== pool) continue // Another request was faster.
          way = next
          pool = poolFor(way)
          endPool(used.pool)
        }
      }
    },
    begin: () => (way.settingsAt === 'transaction' ? `begin; ${setLocal(all)}` : 'begin'),
    keepsPrepared: () => way.settingsAt !== 'transaction',
    async end() {
      endPool(pool)
      await Promise.all(ending)
    },
  }
}

/** The session is not the one that the server said it was. */
class BehindPooler extends Error {}

/** A pooler may ignore settings at the start of a session without a word. Errors: BehindPooler. */
async function assertDirect(client: pg.ClientBase): Promise<void> {
  if ((await sessionOf(client)) !== processId(client)) throw new BehindPooler('the connection goes through a pooler')
}

/**
 * Whether a pooler gives a client one session or each transaction another one: while a second client is inside a transaction, the first one
 * still gets its own session, or it does not.
 */
async function settingsBehindPooler(config: pg.ClientConfig): Promise<SettingsAt> {
  const clients = [new pg.Client(config), new pg.Client(config)] as const
  try {
    for (const client of clients) {
      client.on('error', () => undefined)
      await client.connect()
    }
    const [first, second] = clients
    const before = await sessionOf(first)
    await second.query('begin')
    const other = await sessionOf(second)
    return other === before || (await sessionOf(first)) !== before ? 'transaction' : 'session'
  } finally {
    for (const client of clients) void client.end().catch(() => undefined)
  }
}

async function sessionOf(client: pg.ClientBase): Promise<number> {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
}

function processId(client: pg.ClientBase): number {
  return (client as pg.ClientBase & { processID: number }).processID
}

function isAboutSettings(error: unknown): boolean {
  return error instanceof BehindPooler || codeOf(error) === '08P01'
}

/** No TLS on the server, a handshake that failed, or a rule of pg_hba.conf that wants it otherwise. */
function isAboutEncryption(error: unknown): boolean {
  return codeOf(error) === '28000' || /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/.test(codeOf(error)) || /SSL/.test(String(error))
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '')
}

function clientConfig({ url }: Address, ssl: Encryption): pg.ClientConfig {
  return { connectionString: url, ssl, application_name: 'laurel', connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
}

/** The settings in `-c name=value --name=value`. */
function settingsIn(options: string): Record<string, string> {
  const found = options.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g)
  return Object.fromEntries(
    [...found].map(([, name, value]) => [name!.replaceAll('-', '_'), value!.replace(/\\(.)/g, '$1')]),
  )
}

function startOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replace(/[\\\s]/g, '\\$&')}`)
    .join(' ')
}

function setStatements(settings: SessionSettings, at: Exclude<SettingsAt, 'start'>): string {
  const set = Object.entries(settings).filter(([name]) => at === 'session' || KEPT_BY_POOLERS.has(name))
  return set.map(([name, value]) => `set ${setting(name, value)}`).join('; ')
}

function setLocal(settings: SessionSettings): string {
  const set = Object.entries(settings).filter(([name]) => !KEPT_BY_POOLERS.has(name) && !OF_ONE_SESSION.test(name))
  return set.map(([name, value]) => `set local ${setting(name, value)}`).join('; ')
}

function setting(name: string, value: string | number): string {
  return `${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(String(value))}`
}
