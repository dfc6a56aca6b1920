/*
 * Connections to a server, or to a pooler in front of it: how to reach it is found out by trying (docs/decisions/0157-postgresql-connections.md).
 */
import pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { hasSqlState } from '../db/failures.ts'
import { IS_CLUSTER } from '../db/is-cluster.ts'
import type { Address, Encryption } from './address.ts'
import { valueReader } from './values.ts'

/** When sessions get their settings: as they start, or in each transaction, as a pooler may give each of them another session. */
type SettingsAt = 'start' | 'transaction'

/** How to connect. `encryption` is an index into those of the address. */
type Way = Readonly<{ encryption: number; settingsAt: SettingsAt }>

/** Settings of a session, by their names in PostgreSQL. */
export type SessionSettings = Readonly<Record<string, string | number>>

export type ServerConnections = Readonly<{
  /** A connection with all settings. Errors: those of the server or the network; OperatorError. */
  connect(): Promise<pg.PoolClient>
  /** The statement that begins a transaction. */
  begin(): string
  /** Whether a prepared statement is there in the next transaction. */
  keepsPrepared(): boolean
  /** Whether the server that was connected to last coordinates a cluster (Citus). */
  isCluster(): boolean
  /** Closes idle connections now, and those in use on their release. To be called once. */
  end(): Promise<void>
}>

const CONNECT_TIMEOUT_MS = 5_000
/** How long a connection is silent before the server is asked whether it is there, ten times within as many seconds. By default, two hours. */
const KEEP_ALIVE_MS = 30_000
/** The server looks once a second whether the client is there: a batch of an abandoned request does not run on to its end. Servers on Windows cannot. */
const NOTICE_LOSS = 'set client_connection_check_interval = 1000'
/**
 * A cluster chooses the server by the parameters, and refuses plans that are made without them. Over one connection to each server, which it keeps; it
 * would open others for a statement about several shards, and end them after it (bench/NOTES.md). The other servers follow what is set for a transaction.
 */
const ON_CLUSTER =
  "set plan_cache_mode = 'force_custom_plan'; set citus.max_adaptive_executor_pool_size = 1; set citus.propagate_set_commands = 'local'"
/** What a pooler sets again for each client, whatever session it gets next. */
const KEPT_BY_POOLERS = ['timezone', 'datestyle']
/** What limits a transaction. The other settings have no effect without prepared statements, or on this side of a pooler. */
const OF_TRANSACTIONS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

/**
 * Connections to a server, at most `max`, whose sessions have these settings; the operator's own in the address win. Does not connect yet.
 */
export function openConnections(address: Address, max: number, settings: SessionSettings): ServerConnections {
  const operatorSettings = settingsIn(address.options)
  const all = { ...settings, ...operatorSettings }
  const setOnce = setStatements('set', KEPT_BY_POOLERS, all)
  const beginWithLimits = `begin; ${setStatements('set local', OF_TRANSACTIONS, all)}`
  let way: Way = { encryption: 0, settingsAt: 'start' }
  let pool = poolFor(way)
  let isEnded = false
  let isCluster = false
  const ending = new Set<Promise<void>>()

  function poolFor({ encryption, settingsAt }: Way): pg.Pool {
    const made = new pg.Pool({
      ...clientConfig(address, address.encryptions[encryption]!),
      ...(settingsAt === 'start' && { options: startOptions(all) }),
      max,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // What waits long for an answer, such as a restore, would wait for hours for a server that is gone without a word.
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: { getTypeParser: valueReader } as NonNullable<pg.PoolConfig['types']>,
      async onConnect(client) {
        // Without a listener, losing a connection between queries would end the process; the next query reports it.
        client.on('error', () => undefined)
        if (settingsAt === 'transaction') await client.query(setOnce)
        else await assertDirect(client)
        isCluster = (await client.query(IS_CLUSTER)).rows.length > 0
        if (settingsAt === 'transaction') return
        if (isCluster) await client.query(ON_CLUSTER)
        await client.query(NOTICE_LOSS).catch(() => undefined)
      },
    })
    // An idle connection was lost. The pool has already dropped it, and the next query opens another.
    made.on('error', () => undefined)
    return made
  }

  function endPool(ended: pg.Pool): void {
    const closing = ended.end().finally(() => ending.delete(closing))
    ending.add(closing)
  }

  /** Another way to try after an error; undefined if there is none. Errors: OperatorError if the operator's settings need a session. */
  function nextWay({ encryption, settingsAt }: Way, error: unknown): Way | undefined {
    if (settingsAt === 'start' && isAboutPooler(error)) {
      assertNeedsNoSession(operatorSettings)
      return { encryption, settingsAt: 'transaction' }
    }
    if (isAboutEncryption(error) && address.encryptions.length > 1)
      return { encryption: (encryption + 1) % address.encryptions.length, settingsAt }
    return undefined
  }

  return {
    async connect() {
      // What the server said counts for more than that it offers no TLS.
      let refusal: unknown
      for (let attempts = 1; ; attempts += 1) {
        const used = { way, pool }
        try {
          return await pool.connect()
        } catch (error) {
          if (isAboutSettings(error) && Object.keys(operatorSettings).length > 0)
            throw new OperatorError(
              `the database refused: ${error.message}; check options in DATABASE_URL, or PGOPTIONS`,
              { cause: error },
            )
          const next = attempts > address.encryptions.length + 1 ? undefined : nextWay(used.way, error)
          if (isRefusal(error)) refusal = error
          // Whoever has left this server looks for no other way to it.
          if (next === undefined || isEnded) throw refusal ?? error
          if (used.pool !== pool) continue // Another request was faster.
          way = next
          pool = poolFor(way)
          endPool(used.pool)
        }
      }
    },
    begin: () => (way.settingsAt === 'start' ? 'begin' : beginWithLimits),
    keepsPrepared: () => way.settingsAt === 'start',
    isCluster: () => isCluster,
    async end() {
      isEnded = true
      endPool(pool)
      await Promise.all(ending)
    },
  }
}

/** The session is not the one that the server said it was. */
class BehindPooler extends Error {}

/** A pooler may ignore settings at the start of a session without a word. Errors: BehindPooler. */
async function assertDirect(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { processID } = client as pg.ClientBase & { processID: number }
  if (rows[0]!.pid !== processID) throw new BehindPooler('the connection goes through a pooler')
}

function isAboutPooler(error: unknown): boolean {
  return error instanceof BehindPooler || /^unsupported startup parameter/.test((error as Error).message)
}

/** A session that begins runs no statement that could fail like this: a setting has no such name or value, or is not for this user. */
function isAboutSettings(error: unknown): error is Error {
  return (
    hasSqlState(error) &&
    (/^(?:22|42704|55P02)/.test((error as Error & { code: string }).code) || /to set parameter/.test(error.message))
  )
}

/** No TLS on the server, a handshake that failed, or a rule of pg_hba.conf that wants it otherwise. */
function isAboutEncryption(error: unknown): boolean {
  const { code = '', message } = error as Error & { code?: string }
  return isRefusal(error) || /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/.test(code) || /\bSSL\b/.test(message)
}

/** An unknown user, or a rule of pg_hba.conf. */
function isRefusal(error: unknown): boolean {
  return (error as { code?: string }).code === '28000'
}

function clientConfig({ url }: Address, ssl: Encryption): pg.ClientConfig {
  return { connectionString: url, ssl, application_name: 'laurel', connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
}

/** The settings in `-c name=value --name=value`. */
function settingsIn(options: string): Record<string, string> {
  const matches = options.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\s\\])*)/g)
  return Object.fromEntries(
    [...matches].map(([, name, value]) => [name!.replaceAll('-', '_').toLowerCase(), value!.replace(/\\(.)/g, '$1')]),
  )
}

function startOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replace(/[\\\s]/g, '\\$&')}`)
    .join(' ')
}

/** Statements for those of the settings that are there. */
function setStatements(set: 'set' | 'set local', names: readonly string[], settings: SessionSettings): string {
  return names
    .flatMap((name) => (name in settings ? [`${set} ${name} = ${pg.escapeLiteral(String(settings[name]))}`] : []))
    .join('; ')
}

/** Errors: OperatorError. */
function assertNeedsNoSession(settings: SessionSettings): void {
  const name = Object.keys(settings).find((one) => ![...KEPT_BY_POOLERS, ...OF_TRANSACTIONS].includes(one))
  if (name !== undefined)
    throw new OperatorError(
      `a pooler does not keep the setting ${name} of DATABASE_URL or PGOPTIONS: make it with \`alter role ... set ${name} = ...\``,
    )
}
