/*
 * The driver for the embedded database: PGlite in a separate thread, with what it lacks as published: fsync, a lock on its directory,
 * maintenance, and detection of crashes. PGlite has one session; callers take turns.
 */
import { join, resolve } from 'node:path'
import { DamagedData, OperatorError, Unavailable } from '../../errors.ts'
import type { Driver, Session } from '../db/driver.ts'
import { createSessionQueue, type ReleaseSession, type SessionQueue } from '../db/session-queue.ts'
import { createFilesCopy } from './copy-files.ts'
import { type DataDirectory, holdsDatabase, prepareDirectory } from './directory.ts'
import { type Engine, startEngine } from './engine.ts'
import { freshDatabaseFile } from './fresh-database.ts'
import { createHousekeeping, type Housekeeping } from './housekeeping.ts'
import { assertOpenFiles, TooFewFiles } from './open-files.ts'
import type { WorkerStats } from './pglite-thread.ts'
import { buffersFor } from './shared-buffers.ts'
import { createStatements, type Statements } from './statements.ts'
import { isUndoInterrupted } from './upgrade-copy.ts'
import { checkLog, createWalMarkerWriter, hasWalMarker, type WalMarkerWriter } from './wal-marker.ts'

export interface PgliteOptions {
  /** Called once when the database has died or reported damage. The process should exit with an error. */
  onFatal(error: Error): void
  /** How long the session must be idle before maintenance begins, in milliseconds; 5,000 by default. */
  readonly maintenanceIdleMs?: number
  /** The file from which a first start unpacks its database; by default the one created by npm ci. */
  readonly freshDatabase?: string
  /** The files are a copy to be read and deleted: skips syncing to disk, which takes seconds when a database is opened. */
  readonly isCopy?: true
  /** In memory only: a PGlite dump to start from instead of a fresh database. */
  readonly dumpFile?: string
  /** The size of PostgreSQL's page cache in megabytes; by default the current size of the data, from 16 to 128. */
  readonly sharedBuffersMb?: number | undefined
}

export interface PgliteDriver extends Driver {
  /** Since opening: fsyncs that reached the disk, and bytes of write-ahead log; and the current size of the heap in bytes. */
  stats(): Promise<WorkerStats>
}

/**
 * Opens the embedded database in a data directory (undefined: in memory, for tests), for this process alone. Takes about half a second; the
 * first time a little longer, or some seconds if npm ci has prepared no database.
 *
 * Values  as from `openPostgres`: int8 as a number within the safe range, numeric, dates and moments as text (UTC, ISO)
 * Errors  `OperatorError` when the directory is in use, cannot be written, its disk is full, or it was created by another version of PGlite; `DamagedData` when
 *         the database cannot be opened, or data written to it is gone (decision 115). Statements reject with errors like those of
 *         node-postgres (`code` is the SQLSTATE); after `onFatal` everything rejects with its error
 */
export async function openPglite(directory: string | undefined, options: PgliteOptions): Promise<PgliteDriver> {
  const path = directory === undefined ? undefined : resolve(directory)
  const place = path === undefined ? 'in memory' : `in ${path}`
  if (path !== undefined && hasWalMarker(path) && !holdsDatabase(path))
    throw isUndoInterrupted(path)
      ? new OperatorError(`an undo of the upgrade was interrupted ${place}: run laurel migrate --undo again`)
      : new DamagedData(place, 'its files are gone, and it has been written to before')
  if (path !== undefined) assertOpenFiles(place)
  const home = path === undefined ? undefined : prepareDirectory(path, options.freshDatabase ?? freshDatabaseFile)
  const sessionQueue = createSessionQueue(1)
  let engine: Engine | undefined
  let fatal: OperatorError | undefined

  function fail(cause: Error): OperatorError {
    if (fatal !== undefined) return fatal
    fatal = cause instanceof OperatorError ? cause : new DamagedData(place, cause.message, { cause })
    void sessionQueue.end(fatal)
    void engine?.kill(fatal)
    options.onFatal(fatal)
    return fatal
  }

  let statements: Statements
  try {
    engine = await startEngine(
      {
        directory: home?.files,
        dumpFile: options.dumpFile,
        isDurable: options.isCopy !== true,
        sharedBuffersMb: options.sharedBuffersMb ?? buffersFor(home?.files),
      },
      fail,
    )
    await home?.declareWhole()
    statements = createStatements(engine, fail)
    if (home !== undefined) await checkLog(home.path, statements)
  } catch (thrown) {
    const cause = thrown as Error
    await engine?.kill(cause)
    home?.release()
    if (TOO_FEW_FILES.test(cause.message)) throw new TooFewFiles(place, { cause })
    if (FULL_DISK.test(cause.message))
      throw new OperatorError(`cannot open the database ${place}: the disk is full: free some space`, { cause })
    if (OTHER_VERSION.test(cause.message))
      throw new OperatorError(`cannot open the database ${place}: ${cause.message}`, { cause })
    throw cause instanceof DamagedData ? cause : new DamagedData(place, cause.message, { cause })
  }
  const walBytes = () => engine.stats().walBytes
  const notes = home === undefined ? undefined : createWalMarkerWriter(home.path, statements, sessionQueue, walBytes)
  const housekeeping = createHousekeeping(statements, engine.stats, sessionQueue, options.maintenanceIdleMs ?? 5_000)
  /** What is still written when it no longer is goes into the directory that was moved away, where paths follow it (directory.ts). */
  const assertInPlace = () => {
    if (home?.isInPlace() === false) throw fail(replacedDirectory(path!))
  }
  let lookedAt = Number.NEGATIVE_INFINITY
  const assertWasInPlace = () => {
    const now = performance.now()
    if (now - lookedAt < LOOKED_FOR_MS) return
    lookedAt = now
    assertInPlace()
  }
  return driverOf({
    engine,
    home,
    path,
    sessionQueue,
    statements,
    notes,
    housekeeping,
    fail,
    assertInPlace,
    assertWasInPlace,
  })
}

const LOOKED_FOR_MS = 100

/** The limit of open files of the process or of the machine: the files are not damaged. */
const TOO_FEW_FILES = /\bE[MN]FILE\b|too many open files/i
/** Nothing of what was written before is damaged. */
const FULL_DISK = /No space left on device|\bENOSPC\b/
/** PostgreSQL's message about files of another version: they are not damaged. */
const OTHER_VERSION = /initialized by PostgreSQL version/

function replacedDirectory(directory: string): OperatorError {
  return new OperatorError(
    `the data directory ${directory} was moved, replaced or deleted while in use: nothing more is written, and acknowledged data is where the directory is now`,
  )
}

interface Parts {
  readonly engine: Engine
  readonly home: DataDirectory | undefined
  readonly path: string | undefined
  /** One at a time, because there is only one session. */
  readonly sessionQueue: SessionQueue
  readonly statements: Statements
  readonly notes: WalMarkerWriter | undefined
  readonly housekeeping: Housekeeping
  readonly fail: (cause: Error) => OperatorError
  /** Before each commit. Errors: OperatorError if the directory is no longer the one that was opened. */
  readonly assertInPlace: () => void
  /** Before a session is used: the same, unless that was asked within the last tenth of a second. */
  readonly assertWasInPlace: () => void
}

function driverOf(parts: Parts): PgliteDriver {
  const { engine, sessionQueue } = parts
  let closed: Promise<void> | undefined
  return {
    name: 'pglite',
    hasOtherWriters: false,
    isCluster: () => false,
    hasStandby: false,
    sliceCommit: 'each',
    copyRows: 2_000,
    changeRows: 400,
    async session(deadlineAt, kind = 'write') {
      const releaseSession = await sessionQueue.acquire(kind, deadlineAt)
      try {
        parts.assertWasInPlace()
        return sessionOf(parts, releaseSession)
      } catch (error) {
        releaseSession()
        throw error
      }
    },
    memoryBytes: () => engine.stats().heapBytes,
    sessionCounts: sessionQueue.counts,
    ...(parts.home === undefined ? {} : { directory: parts.path!, copyTo: copierOf(parts, parts.home) }),
    stats: () => engine.freshStats(),
    close() {
      closed ??= close(parts)
      return closed
    },
  }
}

function sessionOf(
  { statements, notes, housekeeping, fail, assertInPlace }: Parts,
  releaseSession: ReleaseSession,
): Session {
  let isReleased = false
  let hasScript = false

  async function handOver(everything: boolean): Promise<void> {
    try {
      await statements.clean(everything)
      await housekeeping.boundLog()
    } catch (error) {
      // A session that cannot be cleaned must not be handed to anyone.
      fail(error as Error)
    }
    releaseSession()
    housekeeping.settle()
    notes?.settle()
  }

  function assertHeld(): void {
    if (isReleased) throw new Error('a database session was used after its release')
  }

  return {
    async query(sql, params) {
      assertHeld()
      if (sql === 'commit') assertInPlace()
      return await statements.query(sql, params)
    },
    async script(sql) {
      assertHeld()
      hasScript = true
      await statements.script(sql)
    },
    async batch(steps) {
      assertHeld()
      const done = await statements.batch(steps)
      // In the middle of a transaction, too: that of a restore writes everything.
      if (done.error === undefined) await housekeeping.boundLog()
      return done
    },
    release(broken) {
      assertHeld()
      isReleased = true
      // A script may leave settings behind, and alter tables under prepared statements.
      void handOver(broken || hasScript)
    },
  }
}

/** Returns a function that copies the files between two statements. */
function copierOf(
  { statements, sessionQueue, notes, housekeeping }: Parts,
  { files }: DataDirectory,
): NonNullable<Driver['copyTo']> {
  const heldFor = async (deadlineAt: number, act: () => Promise<void>): Promise<number> => {
    const releaseSession = await sessionQueue.acquire('read', deadlineAt)
    const beganAt = performance.now()
    try {
      await act()
    } finally {
      releaseSession()
      housekeeping.settle()
      notes?.settle()
    }
    return performance.now() - beganAt
  }
  return async (directory, deadlineAt, signal) => {
    const copy = await createFilesCopy(files, join(directory, 'pglite'), signal)
    // Most of the checkpoint and of the files is done while others can work, so that little is left for the turn that blocks them.
    const firstMs = await heldFor(deadlineAt, () => statements.script('checkpoint'))
    await copy.refresh()
    const lastMs = await heldFor(deadlineAt, async () => {
      await statements.script('checkpoint')
      await copy.refresh()
    })
    return Math.max(firstMs, lastMs)
  }
}

async function close({ engine, home, sessionQueue, notes, housekeeping }: Parts): Promise<void> {
  housekeeping.stop()
  const reason = new Unavailable('the database is closing')
  await sessionQueue.end(reason)
  if (home?.isInPlace() === false) {
    // Closing writes, too: into whatever is in its place.
    await engine.kill(reason)
    home.release()
    return
  }
  // If the database has died or the disk is full, the older note remains true.
  await notes?.close().catch(() => undefined)
  try {
    await engine.close()
  } finally {
    await engine.kill(reason)
    home?.release()
  }
}
