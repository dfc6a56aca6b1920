/*
 * Notes, outside the embedded database, how far its log has been written (docs/decisions/0115-embedded-database.md). Recovery takes the
 * first unreadable record for the end of the log, so a missing tail can be detected only from a position stored elsewhere.
 */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SessionQueue } from '../db/session-queue.ts'
import type { Statements } from './statements.ts'

/** Positions in the log, in bytes from its beginning. */
export type WalMarker = Readonly<{
  /** Everything before this position was on disk. */
  position: bigint
  /** Where the log ended, when an opening found that it ends before `position`. Kept, because recovery continues writing there. */
  endedAt?: bigint
}>

/** Keeps the note up to date while the database is open. */
export interface WalMarkerWriter {
  /** Call after each turn: if it wrote, the new position is noted soon. */
  settle(): void
  /** Call during a turn: notes the last position, and none after that. */
  close(): Promise<void>
}

const INTERVAL_MS = 2_000
const FORM = /^((\d{1,20})(?: (\d{1,20}))?) ([0-9a-f]{16})\n$/

// Opening writes a checkpoint, whose redo position is where recovery ended, or where the last close left off.
const endOfRecoverySql = "select (redo_lsn - '0/0')::text as position from pg_control_checkpoint()"
const flushedSql = "select (pg_current_wal_flush_lsn() - '0/0')::text as position"

const walMarkerPath = (directory: string) => join(directory, 'log-position')

/** The note of a data directory; undefined if there is none, as before the first write. Errors: Error if it is damaged. */
export function readWalMarker(directory: string): WalMarker | undefined {
  const path = walMarkerPath(directory)
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [, body = '', position = '', endedAt, sum] = FORM.exec(text) ?? []
  if (sum === undefined || sum !== checksum(body)) throw new Error(`${path} is damaged`)
  return { position: BigInt(position), ...(endedAt === undefined ? {} : { endedAt: BigInt(endedAt) }) }
}

/** Whether a data directory has ever been written to. */
export function hasWalMarker(directory: string): boolean {
  return existsSync(walMarkerPath(directory))
}

/**
 * Compares the log with the note of a data directory. Must be called right after opening: a later checkpoint says nothing about recovery.
 * Errors: Error if the log ended before the noted position, now or at an earlier opening.
 */
export async function checkLog(directory: string, statements: Pick<Statements, 'query'>): Promise<void> {
  const note = readWalMarker(directory)
  if (note === undefined) return
  const endedAt = note.endedAt ?? (await positionBy(statements, endOfRecoverySql))
  if (endedAt >= note.position) return
  // Recovery has started new log there, which the next opening could mistake for an intact one.
  await writeWalMarker(directory, { ...note, endedAt })
  throw new Error(
    `its log ends at byte ${endedAt}, but had reached byte ${note.position}: what was written in between is lost`,
  )
}

/** `directory` is the data directory, `sessionQueue` is that of its session, `walBytes` grows with each write. */
export function createWalMarkerWriter(
  directory: string,
  statements: Pick<Statements, 'query'>,
  sessionQueue: SessionQueue,
  walBytes: () => number,
): WalMarkerWriter {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let triedAt = Number.NEGATIVE_INFINITY
  let notedBytes = -1
  let writing = Promise.resolve()

  async function note(): Promise<void> {
    triedAt = performance.now()
    const bytes = walBytes()
    const position = await positionBy(statements, flushedSql)
    // Notes are written one at a time, including the last one, written by `close`.
    writing = writing.catch(() => undefined).then(() => writeWalMarker(directory, { position }))
    notedBytes = bytes
  }

  async function noteWithSession(): Promise<void> {
    try {
      const releaseSession = await sessionQueue.acquire('read', performance.now() + INTERVAL_MS)
      await note().finally(releaseSession)
      await writing
    } catch {
      // Too busy, a full disk, or closing: the older note remains true, because the log only grows.
      notedBytes = -1
    }
    timer = undefined
    settle()
  }

  function settle(): void {
    if (isClosed || timer !== undefined || walBytes() === notedBytes) return
    const dueInMs = Math.max(0, triedAt + INTERVAL_MS - performance.now())
    timer = setTimeout(() => void noteWithSession(), dueInMs).unref()
  }

  return {
    settle,
    async close() {
      isClosed = true
      clearTimeout(timer)
      await note()
      await writing
    },
  }
}

async function positionBy(statements: Pick<Statements, 'query'>, sql: string): Promise<bigint> {
  const [row] = await statements.query<{ position: string }>(sql)
  return BigInt(row!.position)
}

/** Writes the note of a data directory, atomically and durably. */
export async function writeWalMarker(directory: string, { position, endedAt }: WalMarker): Promise<void> {
  const path = walMarkerPath(directory)
  const body = endedAt === undefined ? String(position) : `${position} ${endedAt}`
  await writeFile(`${path}.new`, `${body} ${checksum(body)}\n`, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  const parent = await open(dirname(path), 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}

function checksum(body: string): string {
  return hash('sha256', body).slice(0, 16)
}
