/*
 * How far the log of the embedded database had come, noted beside it (docs/decisions/0115-damaged-embedded-data.md). Recovery takes the first
 * record that it cannot read for the end of the log, so only what stands elsewhere can tell that a tail is missing.
 */
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Turns } from '../db/turns.ts'
import type { Statements } from './statements.ts'

/** Positions in the log, in bytes since its beginning. */
export type LogNote = Readonly<{
  /** Everything before it was on the disk. */
  position: bigint
  /** Where an opening found the end of the log before that position. Kept, as recovery goes on from there. */
  endedAt?: bigint
}>

/** Keeps the note up to date while the database is open. */
export interface LogNotes {
  /** A turn has ended: if it wrote, that is noted soon. */
  settle(): void
  /** Notes what was written last, during a turn, and no more after that. */
  close(): Promise<void>
}

const INTERVAL_MS = 2_000
const FORM = /^((\d{1,20})(?: (\d{1,20}))?) ([0-9a-f]{16})\n$/

// The checkpoint that opening has written begins where recovery ended, and closing left off.
const endOfRecoverySql = "select (redo_lsn - '0/0')::text as position from pg_control_checkpoint()"
const flushedSql = "select (pg_current_wal_flush_lsn() - '0/0')::text as position"

const logNotePath = (directory: string) => join(directory, 'log-position')

/** The note of a data directory; undefined where there is none, as before the first write. Errors: Error where it is not whole. */
function readLogNote(directory: string): LogNote | undefined {
  const path = logNotePath(directory)
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [, body = '', position = '', endedAt, sum] = FORM.exec(text) ?? []
  if (sum === undefined || sum !== checksum(body)) throw new Error(`${path} is not as it was written`)
  return { position: BigInt(position), ...(endedAt === undefined ? {} : { endedAt: BigInt(endedAt) }) }
}

/** Whether a data directory has ever been written to. */
export function hasLogNote(directory: string): boolean {
  return existsSync(logNotePath(directory))
}

/**
 * Compares the log with the note of a data directory. To be called right after the opening: a later checkpoint says nothing of recovery.
 * Errors: Error where the log has ended before the noted position, now or at an earlier opening.
 */
export async function checkLog(directory: string, statements: Pick<Statements, 'query'>): Promise<void> {
  const note = readLogNote(directory)
  if (note === undefined) return
  const endedAt = note.endedAt ?? (await positionBy(statements, endOfRecoverySql))
  if (endedAt >= note.position) return
  // Recovery has begun a new log there, which the next opening could take for a whole one.
  await writeLogNote(directory, { ...note, endedAt })
  throw new Error(
    `its log ends at byte ${endedAt}, and had come to byte ${note.position}: what was written between them is lost`,
  )
}

/** `directory` is the data directory, `turns` are those at its session, `walBytes` grows with each write. */
export function createLogNotes(
  directory: string,
  statements: Pick<Statements, 'query'>,
  turns: Turns,
  walBytes: () => number,
): LogNotes {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let triedAt = Number.NEGATIVE_INFINITY
  let notedBytes = -1
  let writing = Promise.resolve()

  async function note(): Promise<void> {
    triedAt = performance.now()
    const bytes = walBytes()
    const position = await positionBy(statements, flushedSql)
    // One after the other, also with the last one beside it.
    writing = writing.catch(() => undefined).then(() => writeLogNote(directory, { position }))
    notedBytes = bytes
  }

  async function noteInTurn(): Promise<void> {
    try {
      const endTurn = await turns.acquire('read', performance.now() + INTERVAL_MS)
      await note().finally(endTurn)
      await writing
    } catch {
      // Too busy, a full disk, or the end: the older note stays true, as the log only grows.
      notedBytes = -1
    }
    timer = undefined
    settle()
  }

  function settle(): void {
    if (isClosed || timer !== undefined || walBytes() === notedBytes) return
    const dueInMs = Math.max(0, triedAt + INTERVAL_MS - performance.now())
    timer = setTimeout(() => void noteInTurn(), dueInMs).unref()
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

/** Whole or not at all, and on the disk. */
async function writeLogNote(directory: string, { position, endedAt }: LogNote): Promise<void> {
  const path = logNotePath(directory)
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
