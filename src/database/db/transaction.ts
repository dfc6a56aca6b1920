/*
 * Turns a driver into the `Db` that the operations use. The only place where database work is retried: until COMMIT is sent nothing has
 * changed; after that the outcome may be unknown, and the work can run again because it consists of upserts of states.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError, Unavailable } from '../../errors.ts'
import { createBackoff } from './backoff.ts'
import { type ChangedKind, type Changes, type GrowingChanges, noChanges } from './changes.ts'
import type { Driver, Session, WriteStep, WrittenSteps } from './driver.ts'
import {
  ConcurrentUpdate,
  DEADLINE_SENTENCE,
  type Failure,
  type FailureKind,
  failureOf,
  hasSqlState,
  isUniqueViolation,
  RETRY_AT_COMMIT,
} from './failures.ts'
import type { SessionUse } from './session-queue.ts'

/** The transaction that a piece of work runs in. Unusable once the work has ended. */
export interface Tx extends Pick<Session, 'query' | 'script'> {
  /**
   * Whether an earlier attempt may have committed: its COMMIT was sent, and the outcome is unknown. Then work that finds itself already done may
   * have done it itself. If false, earlier attempts have changed nothing, and somebody else has done it.
   */
  readonly mayHaveCommitted: boolean
  /** The attempt that this is, from 1, and the last one that may have committed; undefined if none may have. */
  readonly attempt: number
  readonly unknownAttempt: number | undefined
  /** Names inputs of predictions that this transaction changes, for whoever keeps them in memory (`watchCommits`). */
  changes(kind: ChangedKind, keys: Iterable<string>): void
  /**
   * Runs steps that write, in order; they are sent together. Errors: the first one; ConcurrentUpdate for a step whose `claim` was lost: it wrote
   * fewer rows, or one of them exists.
   */
  batch(steps: readonly ClaimingStep[]): Promise<void>
  /** Runs part of the work within a savepoint: a failure undoes only that part, and may be caught. */
  savepoint<T>(part: (tx: Tx) => Promise<T>): Promise<T>
}

/** `claim` says how many rows a step must write, and what another request has done if it writes fewer. */
export type ClaimingStep = WriteStep & Readonly<{ claim?: Readonly<{ rows: number; lost: string }> }>

/**
 * A database. Every `deadlineAt` is in milliseconds of `performance.now()` and includes retries.
 *
 * Errors  `Unavailable` when the database cannot answer by then (the outcome of a write may be unknown; it is safe to send it again),
 *         `OperatorError` when the database rejects us; errors caused by our own SQL or data are thrown as the driver threw them
 */
export interface Db
  extends Pick<Driver, 'isCluster' | 'copyRows' | 'changeRows' | 'sliceCommit' | 'memoryBytes' | 'sessionCounts'> {
  /** For the log only: any difference in behaviour has a property of its own here. */
  readonly driver: Driver['name']
  /** See Driver. */
  readonly hasOtherWriters: boolean
  /** The rows of one read-only statement that looks up keys, run outside a transaction; it takes a turn of `kind`, by default `read`. */
  read<Row extends object>(
    sql: string,
    params: readonly unknown[],
    deadlineAt: number,
    kind?: SessionUse,
  ): Promise<Row[]>
  /**
   * Runs `work` between BEGIN and COMMIT and returns its result.
   * `work` may run several times: it must write states (upserts) and carry nothing over from an earlier run. `attempt` counts from 1.
   * A statement that fails makes the transaction fail, even if `work` catches the error.
   */
  transaction<T>(work: (tx: Tx, attempt: number) => Promise<T>, deadlineAt: number): Promise<T>
  /**
   * Runs `work` for each slice in order; the results are in the same order. Without slices the database is not contacted, unless an earlier
   * COMMIT of unknown outcome has to be confirmed first.
   * All slices share one transaction, or, if the driver commits slices separately, each has its own: then those before a failed one persist.
   * In a shared transaction, `lockAll` runs before the first slice: rows that everyone locks in the same order cannot deadlock later. It runs
   * again on each attempt (counted from 1), so a caller may choose to lock only after a failure.
   */
  inSlices<S, T>(
    slices: readonly S[],
    work: (tx: Tx, slice: S, position: number) => Promise<T>,
    deadlineAt: number,
    lockAll?: (tx: Tx, attempt: number) => Promise<void>,
  ): Promise<T[]>
  /** Sets who watches what is committed by transactions that begin from now on: whoever keeps inputs in memory. */
  watchCommits(watch: CommitWatch): void
  /** Whether the request that it writes for has been abandoned (client-disconnect.ts); false where there is none. */
  isAbandoned(): boolean
  /** False for 10 s after the database failed to write to its disk, unless a transaction succeeds first: not ready for requests. */
  healthy(): boolean
  /** See Driver. */
  readonly directory: string | undefined
  /** See Driver. Errors: OperatorError, also if this kind of database cannot be copied. */
  copyTo(directory: string, deadlineAt: number, signal?: AbortSignal): Promise<number>
  close(): Promise<void>
}

export interface RetryNote {
  readonly kind: FailureKind
  /** How many times this kind has failed, including this one. */
  readonly failures: number
  readonly delayMs: number
  readonly error: unknown
}

export interface DbOptions {
  onRetry?: (note: RetryNote) => void
  /** Called when the data is damaged or the embedded database has died. The process must exit; nothing has been repaired. */
  onFatal?: (error: Error) => void
}

/** Called with what a transaction changes before its COMMIT is sent; the function that it returns is called once the outcome is known. */
export type CommitWatch = (changes: Changes) => () => void

const UNHEALTHY_MS = 10_000
// Node's timers overflow at 2^31 ms and then fire at once: later deadlines are cut to this one, twelve days away.
const DEADLINE_MS_MAX = 2 ** 30
const walRecordSql = "select 1 as one from pg_logical_emit_message(true, 'laurel', '')"

/** One run of a piece of work, on its own session. */
interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** See Tx. */
  readonly unknownAttempt: number | undefined
  /**
   * `idle`         waiting for a session; nothing has been sent
   * `working`      nothing is permanent until COMMIT is sent
   * `commit-sent`  the outcome is unknown until the response arrives
   * `over`         the session has been released; work that is still running must not touch it
   */
  state: 'idle' | 'working' | 'commit-sent' | 'over'
  /** Whether the session is known to be outside any transaction and running no statement. If not, it is discarded. */
  isSessionFree: boolean
}

type Run<T> = (session: Session, attempt: Attempt) => Promise<T>
type Outcome<T> =
  | Readonly<{ succeeded: true; response: T }>
  | Readonly<{ succeeded: false; error: unknown; isCommitSent: boolean }>

/** Creates a database on top of a driver. `onRetry` is called before each wait, `onFatal` when the data is damaged. */
export function createDb(driver: Driver, options: DbOptions = {}): Db {
  let unhealthyUntil = 0
  // COMMITs of unknown outcome, and how many of them a later COMMIT has confirmed: while they differ, every COMMIT waits for the standby.
  let unknownCommits = 0
  let confirmedCommits = 0
  let watchCommit: CommitWatch | undefined

  async function untilSuccess<T>(run: Run<T>, wantedAt: number, kind: SessionUse): Promise<T> {
    const deadlineAt = Math.min(wantedAt, performance.now() + DEADLINE_MS_MAX)
    const backoff = createBackoff(deadlineAt)
    let unknownAttempt: number | undefined
    for (let number = 1; ; number += 1) {
      const outcome = await runOnce(run, { number, unknownAttempt, deadlineAt, kind })
      if (outcome.succeeded) return outcome.response
      const { error, isCommitSent } = outcome
      const failure = failureOf(error)
      note(failure, error, isCommitSent)
      const isUnknown = isCommitSent && failure.unknownAtCommit
      if (isUnknown) unknownAttempt = number
      const rule = isUnknown ? RETRY_AT_COMMIT : failure.retry
      const retry = rule && backoff(failure.kind, rule)
      if (retry === undefined) throw translated(failure, error)
      options.onRetry?.({ kind: failure.kind, error, ...retry })
      await sleep(retry.delayMs)
    }
  }

  async function runOnce<T>(
    run: Run<T>,
    {
      deadlineAt,
      kind,
      ...numbered
    }: Omit<Attempt, 'state' | 'isSessionFree'> & Readonly<{ deadlineAt: number; kind: SessionUse }>,
  ): Promise<Outcome<T>> {
    const attempt: Attempt = { ...numbered, state: 'idle', isSessionFree: true }
    let session: Session | undefined
    try {
      msLeft(deadlineAt)
      session = await driver.session(deadlineAt, kind)
      const leftMs = msLeft(deadlineAt)
      attempt.state = 'working'
      attempt.isSessionFree = false
      return { succeeded: true, response: await within(leftMs, run(session, attempt)) }
    } catch (error) {
      return { succeeded: false, error, isCommitSent: attempt.state === 'commit-sent' }
    } finally {
      attempt.state = 'over'
      session?.release(!attempt.isSessionFree)
    }
  }

  function note(failure: Failure, error: unknown, isCommitSent: boolean): void {
    if (failure.kind === 'disk') unhealthyUntil = performance.now() + UNHEALTHY_MS
    if (failure.kind === 'read-only') driver.reset?.()
    if (failure.kind === 'damaged') options.onFatal?.(error as Error)
    // `Unavailable` here means that our own deadline passed.
    if (isCommitSent && (failure.unknownAtCommit || error instanceof Unavailable)) unknownCommits += 1
  }

  async function runTransaction<T>(
    session: Session,
    attempt: Attempt,
    work: (tx: Tx, attempt: number) => Promise<T>,
  ): Promise<T> {
    const confirming = unknownCommits
    try {
      await session.query('begin')
      assertWorking(attempt)
      // Sets of ten thousand keys take as long as a twentieth of their upsert does in this process.
      const changes = watchCommit === undefined ? undefined : noChanges()
      const response = await runGuarded(session, attempt, changes, (tx) => work(tx, attempt.number))
      assertWorking(attempt)
      // A transaction that writes no WAL commits without waiting, though the rows it found unchanged may not have reached the standby yet. Last, as
      // work may begin with a snapshot of its own, before which nothing may be asked.
      if (driver.hasStandby && confirming > confirmedCommits) await session.query(walRecordSql)
      const settle = changes === undefined ? undefined : watchCommit?.(changes)
      attempt.state = 'commit-sent'
      await session.query('commit').finally(settle)
      attempt.isSessionFree = true
      confirmedCommits = Math.max(confirmedCommits, confirming)
      unhealthyUntil = 0
      return response
    } catch (error) {
      // A session that cannot roll back is destroyed on release, which rolls back as well.
      if (attempt.state !== 'over' && !failureOf(error).sessionLost)
        attempt.isSessionFree = await succeeds(session.query('rollback'))
      throw error
    }
  }

  async function runStatement<Row extends object>(
    session: Session,
    attempt: Attempt,
    sql: string,
    params: readonly unknown[],
  ): Promise<Row[]> {
    try {
      const rows = await session.query<Row>(sql, params)
      attempt.isSessionFree = true
      return rows
    } catch (error) {
      attempt.isSessionFree = !failureOf(error).sessionLost
      nameCaller(error, runStatement)
      throw error
    }
  }

  const transaction: Db['transaction'] = (work, deadlineAt) =>
    untilSuccess((session, attempt) => runTransaction(session, attempt, work), deadlineAt, 'write')

  return {
    driver: driver.name,
    hasOtherWriters: driver.hasOtherWriters,
    isCluster: () => driver.isCluster(),
    sliceCommit: driver.sliceCommit,
    copyRows: driver.copyRows,
    changeRows: driver.changeRows,
    transaction,
    read: (sql, params, deadlineAt, kind = 'read') =>
      untilSuccess((session, attempt) => runStatement(session, attempt, sql, params), deadlineAt, kind),
    async inSlices(slices, work, deadlineAt, lockAll) {
      if (slices.length === 0) {
        // Data that a caller found already written may stem from a COMMIT that has not reached the standby: do not acknowledge it before it has.
        if (unknownCommits > confirmedCommits) await transaction(async () => undefined, deadlineAt)
        return []
      }
      if (driver.sliceCommit === 'together')
        return transaction(async (tx, attempt) => {
          await lockAll?.(tx, attempt)
          return await inOrder(slices, (slice, position) => work(tx, slice, position))
        }, deadlineAt)
      return inOrder(slices, (slice, position) => transaction((tx) => work(tx, slice, position), deadlineAt))
    },
    watchCommits(watch) {
      watchCommit = watch
    },
    isAbandoned: () => false,
    healthy: () => performance.now() >= unhealthyUntil,
    memoryBytes: () => driver.memoryBytes(),
    sessionCounts: () => driver.sessionCounts(),
    directory: driver.directory,
    async copyTo(directory, deadlineAt, signal) {
      if (driver.copyTo === undefined) throw new OperatorError('this database cannot be copied as a directory')
      return driver.copyTo(directory, deadlineAt, signal)
    },
    close: () => driver.close(),
  }
}

/**
 * Runs work, or a part of it within a savepoint. COMMIT after a failed statement reports no error although everything was rolled back, so
 * the first failure is kept and thrown even if the work has caught it.
 */
async function runGuarded<T>(
  session: Session,
  attempt: Attempt,
  changes: GrowingChanges | undefined,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let failed: { readonly error: unknown } | undefined
  async function guarded<A>(send: () => Promise<A>): Promise<A> {
    assertWorking(attempt)
    try {
      return await send()
    } catch (error) {
      nameCaller(error, guarded)
      failed ??= { error }
      throw error
    }
  }
  const response = await work({
    mayHaveCommitted: attempt.unknownAttempt !== undefined,
    attempt: attempt.number,
    unknownAttempt: attempt.unknownAttempt,
    changes: (kind, keys) => {
      if (changes !== undefined) for (const key of keys) changes[kind].add(key)
    },
    query: (sql, params) => guarded(() => session.query(sql, params)),
    script: (sql) => guarded(() => session.script(sql)),
    async batch(steps) {
      if (steps.length > 0) await guarded(async () => assertClaims(steps, await session.batch(steps)))
    },
    async savepoint(part) {
      await guarded(() => session.query('savepoint part'))
      try {
        const done = await runGuarded(session, attempt, changes, part)
        await guarded(() => session.query('release savepoint part'))
        return done
      } catch (error) {
        await guarded(() => session.query('rollback to savepoint part'))
        // It outlives that, and would hide the savepoint of the part around this one: they have the same name.
        await guarded(() => session.query('release savepoint part'))
        throw error
      }
    },
  })
  if (failed) throw failed.error
  return response
}

function assertClaims(steps: readonly ClaimingStep[], { rowCounts, error }: WrittenSteps): void {
  for (const [place, { claim }] of steps.slice(0, rowCounts.length).entries())
    if (claim !== undefined && rowCounts[place]! < claim.rows) throw new ConcurrentUpdate(claim.lost, { cause: error })
  if (error === undefined) return
  const claim = steps[rowCounts.length]?.claim
  throw claim !== undefined && isUniqueViolation(error) ? new ConcurrentUpdate(claim.lost, { cause: error }) : error
}

/**
 * Gives what the database reported the stack of whoever waits for `send`: its own begins where the response was read, and may end there. Others
 * keep theirs, which says where they were thrown.
 */
function nameCaller(error: unknown, send: (...args: never[]) => unknown): void {
  if (hasSqlState(error)) Error.captureStackTrace(error, send)
}

function assertWorking({ state }: Attempt): void {
  if (state !== 'working') throw new Error('this transaction has ended')
}

async function inOrder<S, T>(slices: readonly S[], work: (slice: S, position: number) => Promise<T>): Promise<T[]> {
  const responses: T[] = []
  for (const [position, slice] of slices.entries()) responses.push(await work(slice, position))
  return responses
}

function translated(failure: Failure, error: unknown): unknown {
  if (failure.response === 'as-it-is') return error
  if (failure.response === 'operator')
    return new OperatorError(`the database refused: ${(error as Error).message}${failure.advice}`, { cause: error })
  return new Unavailable(failure.sentence, { retryAfterS: failure.retryAfterS, cause: error })
}

/** Errors: Unavailable if none are left. */
function msLeft(deadlineAt: number): number {
  const leftMs = deadlineAt - performance.now()
  if (leftMs > 0) return leftMs
  throw new Unavailable(DEADLINE_SENTENCE)
}

async function within<T>(timeoutMs: number, running: Promise<T>): Promise<T> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Unavailable(DEADLINE_SENTENCE)), timeoutMs)
  try {
    return await Promise.race([running, deadline])
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
