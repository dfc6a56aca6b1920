import { resolve } from 'node:path'
import { OperatorError, Unavailable } from '../errors.ts'
import type { Driver, Session } from './db.ts'
import { prepareDirectory } from './pglite-directory.ts'
import { type Engine, startEngine } from './pglite-engine.ts'
import { maintain } from './pglite-maintenance.ts'
import { type Answer, decodeAnswer, encodeScript, encodeStatement } from './pglite-wire.ts'
import type { WorkerStats } from './pglite-worker.ts'

export interface PgliteOptions {
  /** Called once when the database has died or told of damage. The process should end with an error, and without writing more. */
  onFatal(error: Error): void
  /** How long nobody may have used the session before maintenance begins, in milliseconds; 5,000 if not given. */
  readonly maintenanceIdleMs?: number
  /** A file in which a fresh database is kept from one opening to the next: for tests, which open many. Made where it is missing. */
  readonly templateFile?: string
}

export interface PgliteDriver extends Driver {
  /** Counts since the opening, for the meters: fsyncs that reached the disk, bytes of the heap, bytes of write-ahead log. */
  stats(): Promise<WorkerStats>
}

const WAITERS_MAX = 10_000
// A single process has no checkpointer: without this the log of a long load, and the recovery after a crash, would grow without end.
const CHECKPOINT_WAL_BYTES = 256 * 2 ** 20
// More different texts than this are made, not written, and would fill the heap if they were kept.
const PREPARED_MAX = 500

interface Waiter {
  admit(): void
  refuse(error: Error): void
}

/**
 * Opens the embedded database below a data directory (or 'memory'), in a thread of its own, for this process alone.
 *
 * Rejects with `OperatorError` where the directory is in use, cannot be written, or holds what this version cannot open.
 * Statements reject with errors as node-postgres makes them (`code` is the SQLSTATE); after a death everything rejects with `OperatorError`.
 */
export async function openPglite(directory: string | 'memory', options: PgliteOptions): Promise<PgliteDriver> {
  const home = directory === 'memory' ? undefined : prepareDirectory(resolve(directory))
  const place = home === undefined ? 'in memory' : `in ${resolve(directory)}`
  let fatal: OperatorError | undefined
  let engine: Engine | undefined
  try {
    engine = await startEngine({ directory: home?.files, templateFile: options.templateFile }, fail)
    await home?.declareWhole()
  } catch (cause) {
    await engine?.kill()
    home?.release()
    throw new OperatorError(`cannot open the database ${place}: ${(cause as Error).message}`)
  }
  const thread = engine

  const waiters = new Set<Waiter>()
  let prepared = new Map<string, string>()
  let preparedCount = 0
  let isBusy = false
  let isClosing = false
  let closed: Promise<void> | undefined
  let isInTransaction = false
  let onIdle: (() => void) | undefined
  let lastSent: Promise<unknown> = Promise.resolve()
  let idleTimer: NodeJS.Timeout | undefined
  let maintainedWal = 0
  let checkpointedWal = 0

  function fail(cause: Error): OperatorError {
    if (fatal !== undefined) return fatal
    fatal = new OperatorError(
      `the database ${place} has failed (${cause.message}). Nothing more was written. ` +
        'Before anything else, copy it as it is; then read docs/operating.md, "When the data is damaged".',
      { cause },
    )
    for (const waiter of waiters) waiter.refuse(fatal)
    waiters.clear()
    clearTimeout(idleTimer)
    void engine?.kill()
    options.onFatal(fatal)
    return fatal
  }

  /** One message at a time: which statements are prepared is known only from the answer before. */
  function exchange(encode: () => Uint8Array<ArrayBuffer>): Promise<Answer> {
    const sent = lastSent.then(async () => {
      if (fatal !== undefined) throw fatal
      const message = encode()
      const bytes = await thread.send(message).catch((cause: Error) => {
        throw fatal ?? fail(cause)
      })
      const answer = decodeAnswer(bytes)
      isInTransaction = answer.isInTransaction
      const code = answer.error !== undefined && 'code' in answer.error ? answer.error.code : undefined
      if (code === 'XX001' || code === 'XX002') throw fail(answer.error!)
      return answer
    })
    lastSent = sent.catch(() => {})
    return sent
  }

  async function query<Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    let name = ''
    const answer = await exchange(() => {
      const known = prepared.get(sql)
      if (known === undefined && prepared.size < PREPARED_MAX) name = `s${++preparedCount}`
      return encodeStatement({ name: known ?? name, sql, prepare: known === undefined }, params)
    })
    if (answer.isPrepared && name !== '') prepared.set(sql, name)
    if (answer.error !== undefined) {
      // The shape of a table has changed under a prepared statement: the next call makes it anew.
      if ('code' in answer.error && answer.error.code === '0A000') prepared.delete(sql)
      throw answer.error
    }
    if (answer.command === 'ROLLBACK' && /^\s*(commit|end)\b/i.test(sql)) {
      throw Object.assign(new Error('the transaction had failed and was rolled back, not committed'), { code: '25P02' })
    }
    return answer.rows as Row[]
  }

  async function script(sql: string): Promise<void> {
    const { error } = await exchange(() => encodeScript(sql))
    if (error !== undefined) throw error
  }

  /** Makes the one session as good as new, however it was left, and gives it to the next. */
  async function handOver(mustReset: boolean): Promise<void> {
    try {
      await lastSent
      if (isInTransaction) await script('rollback')
      if (mustReset) {
        prepared = new Map()
        await script('discard all')
      }
    } catch (error) {
      // A session that cannot be made clean must not be given to anybody.
      fail(error as Error)
    }
    await boundLog()
    isBusy = false
    const [next] = waiters
    if (next !== undefined) next.admit()
    else if (isClosing) onIdle?.()
    else restLater()
  }

  async function boundLog(): Promise<void> {
    const { walBytes } = thread.stats()
    if (fatal !== undefined || walBytes - checkpointedWal < CHECKPOINT_WAL_BYTES) return
    checkpointedWal = walBytes
    // A full disk is told to those who write; the log then waits for the next checkpoint.
    await script('checkpoint').catch(() => {})
  }

  function restLater(): void {
    clearTimeout(idleTimer)
    if (fatal !== undefined || thread.stats().walBytes === maintainedWal) return
    idleTimer = setTimeout(() => void rest(), options.maintenanceIdleMs ?? 5_000).unref()
  }

  async function rest(): Promise<void> {
    isBusy = true
    try {
      const isDone = await maintain({ query }, () => waiters.size === 0 && !isClosing)
      if (isDone) maintainedWal = checkpointedWal = thread.stats().walBytes
    } catch {
      // A disk that is full, say: the next quiet moment tries again, and those who write hear of it themselves.
    }
    await handOver(false)
  }

  function open(): Session {
    isBusy = true
    clearTimeout(idleTimer)
    let isReleased = false
    let hasScript = false
    function assertHeld(): void {
      if (isReleased) throw new Error('a session was used after its release')
    }
    return {
      async query(sql, params) {
        assertHeld()
        return query(sql, params)
      },
      async script(sql) {
        assertHeld()
        hasScript = true
        return script(sql)
      },
      release(broken) {
        assertHeld()
        isReleased = true
        void handOver(broken || hasScript)
      },
    }
  }

  async function close(): Promise<void> {
    isClosing = true
    clearTimeout(idleTimer)
    for (const waiter of waiters) waiter.refuse(new Unavailable('the database is closing'))
    if (isBusy) {
      await new Promise<void>((resolve) => {
        onIdle = resolve
      })
    }
    try {
      if (fatal === undefined) await thread.close()
    } finally {
      await thread.kill()
      home?.release()
    }
  }

  return {
    name: 'pglite',
    sliceCommit: 'each',
    session(deadlineAt) {
      if (fatal !== undefined) return Promise.reject(fatal)
      if (isClosing) return Promise.reject(new Unavailable('the database is closing'))
      if (!isBusy) return Promise.resolve(open())
      if (waiters.size >= WAITERS_MAX) return Promise.reject(new Unavailable('too many calls wait for the database'))
      return new Promise((resolve, reject) => {
        const timer = setTimeout(late, Math.max(0, deadlineAt - performance.now()))
        const waiter: Waiter = {
          admit: () => leave(() => resolve(open())),
          refuse: (error) => leave(() => reject(error)),
        }
        function leave(then: () => void): void {
          clearTimeout(timer)
          waiters.delete(waiter)
          then()
        }
        function late(): void {
          waiter.refuse(new Unavailable('the database was busy until the deadline'))
        }
        waiters.add(waiter)
      })
    },
    memoryBytes: () => thread.stats().heapBytes,
    stats: () => thread.freshStats(),
    close() {
      closed ??= close()
      return closed
    },
  }
}
