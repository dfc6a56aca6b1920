/*
 * Turns a driver into the `Db` that the operations use. The one place where database work is tried again:
 * before COMMIT was sent nothing is done; after that the outcome may be unknown, and the work, upserts of states, runs again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { Driver, Session } from './driver.ts'
import { type Failure, type FailureKind, failureOf, type Retry, retryAtCommit } from './failures.ts'

/** The transaction that a piece of work runs in. Of no use after the work has ended. */
export interface Tx extends Pick<Session, 'query' | 'script' | 'copy'> {
  /** Runs a part of the work so that its failure undoes that part alone, and may be caught. */
  attempt<T>(part: (tx: Tx) => Promise<T>): Promise<T>
}

/**
 * A database. Every `deadlineAt` is in milliseconds of `performance.now()`; retries live inside it.
 *
 * Errors  `Unavailable` when the database cannot answer by then (the outcome of a write may be unknown: it can be sent again),
 *         `OperatorError` when it refuses us; what our own SQL or data got wrong is thrown as the driver threw it
 */
export interface Db {
  readonly driver: Driver['name']
  /** The rows of one statement that finds them by their keys and writes nothing, outside a transaction. */
  read<Row extends object>(sql: string, params: readonly unknown[], deadlineAt: number): Promise<Row[]>
  /**
   * Runs `work` between BEGIN and COMMIT, and answers what it answered.
   * `work` may run several times: it writes states (upserts), and keeps nothing from an earlier run.
   * A statement that fails fails the transaction, even when `work` catches its error.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, deadlineAt: number): Promise<T>
  /**
   * Runs `work` for each slice in order; the answers in the same order. No slices: nothing is asked of the database, unless the outcome of
   * a COMMIT is unknown and has to be waited for.
   * In one transaction, or where the driver says so in one for each slice: then the slices before a failed one stay written.
   * `lockAll` runs before the first, where other sessions may write at the same time: what it locks in one order for everybody
   * cannot deadlock later.
   */
  inSlices<S, T>(
    slices: readonly S[],
    work: (tx: Tx, slice: S, position: number) => Promise<T>,
    deadlineAt: number,
    lockAll?: (tx: Tx) => Promise<void>,
  ): Promise<T[]>
  /** False for 10 s after the database could not write to its disk, unless a transaction succeeds: not ready for requests. */
  healthy(): boolean
  /** See Driver, and the next two. */
  readonly copyRows: number
  readonly changeRows: number
  memoryBytes(): number | undefined
  close(): Promise<void>
}

export interface RetryNote {
  readonly kind: FailureKind
  /** How many times this kind has failed, this one included. */
  readonly failures: number
  readonly delayMs: number
  readonly error: unknown
}

export interface DbOptions {
  onRetry?: (note: RetryNote) => void
  /** The data is damaged, or the embedded database has died. The process must end; nothing was repaired. */
  onFatal?: (error: Error) => void
}

const unhealthyMs = 10_000
const delayMsMax = 3200
// Timers of Node end at 2^31 ms, and fire at once beyond: a later deadline is as good as this one, twelve days away.
const deadlineMsMax = 2 ** 30
const lateSentence = 'the database did not answer in time'
const overMessage = 'this transaction has ended'
const walRecordSql = "select 1 as one from pg_logical_emit_message(true, 'laurel', '')"

export function createDb(driver: Driver, options: DbOptions = {}): Db {
  let unhealthyUntil = 0
  // Numbers of COMMITs whose outcome stayed unknown: until a later one is confirmed, each waits for the standby.
  let unknownCommits = 0
  let confirmedUpTo = 0

  async function attempt<T>(run: (session: Session, stage: Attempt) => Promise<T>, stage: Attempt, deadlineAt: number) {
    if (performance.now() >= deadlineAt) throw new Unavailable(lateSentence)
    const session = await driver.session(deadlineAt)
    let broken = true
    try {
      const answer = await beforeDeadline(run(session, stage), deadlineAt, stage)
      broken = false
      return answer
    } catch (error) {
      broken = stage.over || !stage.rolledBack || failureOf(error).sessionLost
      throw error
    } finally {
      stage.over = true
      session.release(broken)
    }
  }

  async function retrying<T>(
    run: (session: Session, stage: Attempt) => Promise<T>,
    wantedAt: number,
    rolledBack: boolean,
  ): Promise<T> {
    const deadlineAt = Math.min(wantedAt, performance.now() + deadlineMsMax)
    const history: History = new Map()
    for (;;) {
      const stage: Attempt = { commitSent: false, over: false, rolledBack }
      try {
        return await attempt(run, stage, deadlineAt)
      } catch (error) {
        const failure = failureOf(error)
        note(failure, error, stage)
        const delayMs = delayBeforeNext(failure, stage, history, deadlineAt)
        if (delayMs === undefined) throw translated(failure, error)
        options.onRetry?.({ kind: failure.kind, failures: history.get(failure.kind)?.failures ?? 1, delayMs, error })
        await sleep(delayMs)
      }
    }
  }

  function note(failure: Failure, error: unknown, stage: Attempt): void {
    if (failure.kind === 'disk') unhealthyUntil = performance.now() + unhealthyMs
    if (failure.kind === 'read-only') driver.reset?.()
    if (failure.kind === 'damaged') options.onFatal?.(error as Error)
    if (stage.commitSent && (failure.unknownAtCommit || error instanceof Unavailable)) unknownCommits += 1
  }

  async function runTransaction<T>(session: Session, stage: Attempt, work: (tx: Tx) => Promise<T>): Promise<T> {
    const confirming = unknownCommits
    try {
      await session.query('begin')
      // A transaction without a WAL record commits at once, though what it found unchanged may not have reached the standby.
      if (confirming > confirmedUpTo && driver.name === 'postgres') await session.query(walRecordSql)
      const answer = await runGuarded(session, stage, work)
      if (stage.over) throw new Error(overMessage)
      stage.commitSent = true
      await session.query('commit')
      confirmedUpTo = Math.max(confirmedUpTo, confirming)
      unhealthyUntil = 0
      return answer
    } catch (error) {
      // A session that cannot even roll back is destroyed by its release, and that rolls back too.
      if (!failureOf(error).sessionLost && !stage.over) stage.rolledBack = await succeeds(session.query('rollback'))
      throw error
    }
  }

  const transaction: Db['transaction'] = (work, deadlineAt) =>
    retrying((session, stage) => runTransaction(session, stage, work), deadlineAt, false)

  return {
    driver: driver.name,
    copyRows: driver.copyRows,
    changeRows: driver.changeRows,
    transaction,
    read: (sql, params, deadlineAt) => retrying((session) => session.query(sql, params), deadlineAt, true),
    async inSlices(slices, work, deadlineAt, lockAll) {
      if (slices.length === 0) {
        // What a caller found written already may be of a COMMIT that has not reached the standby: it must not be acknowledged before.
        if (unknownCommits > confirmedUpTo) await transaction(async () => undefined, deadlineAt)
        return []
      }
      if (driver.sliceCommit === 'together')
        return transaction(async (tx) => {
          await lockAll?.(tx)
          return await inOrder(slices, (s, i) => work(tx, s, i))
        }, deadlineAt)
      return inOrder(slices, (slice, position) => transaction((tx) => work(tx, slice, position), deadlineAt))
    },
    healthy: () => performance.now() >= unhealthyUntil,
    memoryBytes: () => driver.memoryBytes(),
    close: () => driver.close(),
  }
}

/** How far one attempt has come. */
interface Attempt {
  commitSent: boolean
  /** The session is known to be outside any transaction. */
  rolledBack: boolean
  /** The deadline has passed, or the session has been given back; late work must not touch it. */
  over: boolean
}

type History = Map<FailureKind, { failures: number; readonly firstAt: number }>

async function inOrder<S, T>(slices: readonly S[], work: (slice: S, position: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (const [position, slice] of slices.entries()) answers.push(await work(slice, position))
  return answers
}

// COMMIT after a failed statement answers without an error, though everything was rolled back: so the failure is kept.
async function runGuarded<T>(session: Session, stage: Attempt, work: (tx: Tx) => Promise<T>): Promise<T> {
  let failed: { readonly error: unknown } | undefined
  async function guarded<A>(run: () => Promise<A>): Promise<A> {
    if (stage.over || stage.commitSent) throw new Error(overMessage)
    try {
      return await run()
    } catch (error) {
      failed ??= { error }
      throw error
    }
  }
  const answer = await work({
    query: (sql, params) => guarded(() => session.query(sql, params)),
    script: (sql) => guarded(() => session.script(sql)),
    copy: (sql, rows) => guarded(() => session.copy(sql, rows)),
    async attempt(part) {
      await guarded(() => session.query('savepoint attempt'))
      try {
        const done = await runGuarded(session, stage, part)
        await guarded(() => session.query('release savepoint attempt'))
        return done
      } catch (error) {
        await guarded(() => session.query('rollback to savepoint attempt'))
        throw error
      }
    },
  })
  if (failed) throw failed.error
  return answer
}

function delayBeforeNext(failure: Failure, stage: Attempt, history: History, deadlineAt: number): number | undefined {
  const rule: Retry | undefined = stage.commitSent && failure.unknownAtCommit ? retryAtCommit : failure.retry
  if (!rule) return undefined
  const now = performance.now()
  const past = history.get(failure.kind) ?? { failures: 0, firstAt: now }
  past.failures += 1
  history.set(failure.kind, past)
  const delayMs = Math.random() * Math.min(delayMsMax, rule.firstMs * 2 ** (past.failures - 1))
  const spent = past.failures > rule.times || now + delayMs - past.firstAt > rule.withinMs
  return spent || now + delayMs >= deadlineAt ? undefined : delayMs
}

function translated(failure: Failure, error: unknown): unknown {
  if (failure.answer === 'as-it-is') return error
  if (failure.answer === 'operator')
    return new OperatorError(`the database refused: ${(error as Error).message}`, { cause: error })
  return new Unavailable(failure.sentence, { retryAfterS: failure.retryAfterS, cause: error })
}

async function beforeDeadline<T>(running: Promise<T>, deadlineAt: number, stage: Attempt): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const end = () => {
      stage.over = true
      reject(new Unavailable(lateSentence))
    }
    timer = setTimeout(end, Math.max(0, deadlineAt - performance.now()))
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}

async function succeeds(running: Promise<unknown>): Promise<boolean> {
  return await running.then(
    () => true,
    () => false,
  )
}
