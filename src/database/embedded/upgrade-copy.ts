/*
 * The copy of an embedded database that is made before its schema is migrated, and how it is put back (docs/decisions/0219-compatibility.md).
 * It lies in the data directory, which may be a mounted volume: nothing beside that need be writable or on the same disk. It has the form of
 * a data directory itself.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import type { Observe } from '../../telemetry/observation.ts'
import type { Db } from '../db/transaction.ts'
import { holdsDatabase, syncSync, syncTree } from './directory.ts'
import { lockDirectory } from './directory-lock.ts'
import { readWalMarker, writeWalMarker } from './wal-marker.ts'

/** A database as it was at `madeAt`, with schema version `from`, before it was migrated to version `to`. */
export type UpgradeCopy = Readonly<{ name: string; from: number; to: number; madeAt: string }>

const NAME = /^schema-(\d+)-before-(\d+)-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/
const UNFINISHED = '.unfinished'
const COPY_TIMEOUT_MS = 60 * 60_000
const COUNT_TIMEOUT_MS = 10 * 60_000

/** The last copy in a data directory; undefined if there is none. */
export function findUpgradeCopy(directory: string): UpgradeCopy | undefined {
  return copiesIn(directory)
    .filter(({ name }) => holdsDatabase(join(directory, name)))
    .sort((one, other) => (one.madeAt < other.madeAt ? -1 : 1))
    .at(-1)
}

/** How many orders were recorded in an open database since a copy of it was made. */
export async function ordersSince(db: Pick<Db, 'read'>, { madeAt }: UpgradeCopy): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    'select count(*) as n from orders where recorded_at > $1',
    [madeAt],
    performance.now() + COUNT_TIMEOUT_MS,
  )
  return row!.n
}

/**
 * Copies an open database before it is migrated, and deletes earlier copies. A database that another call has begun to migrate to the same version
 * has its copy already, unless orders were recorded since: the version before may have served meanwhile. A kill leaves an unfinished copy, which the next call deletes.
 * Nothing is done on a server, which has no directory. Errors: OperatorError if there is too little space, or the copy cannot be written; there is no
 * copy then.
 */
export async function copyBeforeUpgrade(
  db: Pick<Db, 'directory' | 'copyTo' | 'read'>,
  from: number,
  to: number,
  observe: Observe,
): Promise<void> {
  const beganAt = performance.now()
  const { directory } = db
  if (directory === undefined) return
  const last = findUpgradeCopy(directory)
  if (last?.to === to && last.from < from && (await ordersSince(db, last)) === 0) return
  const name = `schema-${from}-before-${to}-${new Date().toISOString().replaceAll(':', '-')}`
  const unfinished = join(directory, `${name}${UNFINISHED}`)
  removeCopies(directory, (one) => one.endsWith(UNFINISHED))
  try {
    // Read first: the log that is copied reaches at least as far.
    const marker = readWalMarker(directory) ?? { position: 0n }
    await db.copyTo(unfinished, performance.now() + COPY_TIMEOUT_MS)
    await writeWalMarker(unfinished, marker)
    await syncTree(unfinished)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new OperatorError(
      `cannot copy the database before the upgrade: ${(error as Error).message}; without a copy: laurel migrate --no-copy`,
      { cause: error },
    )
  }
  renameSync(unfinished, join(directory, name))
  syncSync(directory)
  removeCopies(directory, (one) => one !== name)
  observe({
    kind: 'database-copied',
    directory: join(directory, name),
    durationMs: Math.round(performance.now() - beganAt),
  })
}

/** Where the database that a copy replaces is set aside. */
const setAside = (directory: string, { name }: UpgradeCopy) => join(directory, `${name}-undone`)

/**
 * Whether a process was killed while it put a copy back, at the moment between two renames in which the data directory holds no database.
 * `putCopyBack` completes it.
 */
export function isUndoInterrupted(directory: string): boolean {
  const copy = findUpgradeCopy(directory)
  return copy !== undefined && !holdsDatabase(directory) && holdsDatabase(setAside(directory, copy))
}

/**
 * Puts a copy in the place of the database, which no process may have open, and sets that aside in a directory whose path it returns. After a kill,
 * the directory holds the one or the other, or `isUndoInterrupted`; the same call completes it. Errors: OperatorError if the directory is in use, the copy
 * is gone by now, or a file cannot be moved.
 */
export async function putCopyBack(directory: string, copy: UpgradeCopy): Promise<string> {
  const lock = lockDirectory(directory)
  try {
    const [from, aside] = [join(directory, copy.name), setAside(directory, copy)]
    const files = (place: string) => join(place, 'pglite')
    const marker = readWalMarker(directory)
    // Another process may have put it back while somebody was being asked.
    if (!holdsDatabase(from)) throw noCopy(directory)
    if (!isUndoInterrupted(directory)) {
      if (existsSync(files(aside))) throw new OperatorError(`${aside} exists: move it away first`)
      mkdirSync(aside, { recursive: true, mode: 0o700 })
      if (marker !== undefined) await writeWalMarker(aside, marker)
      // A database whose log reaches further than this is not damaged. Without any, a start between the renames would create an empty one.
      await writeWalMarker(directory, readWalMarker(from) ?? { position: 0n })
      renameSync(files(directory), files(aside))
      for (const place of [aside, directory]) syncSync(place)
    }
    renameSync(files(from), files(directory))
    for (const place of [from, directory]) syncSync(place)
    rmSync(from, { recursive: true })
    return aside
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `cannot put the copy back: ${(error as Error).message}; then run laurel migrate --undo again`,
      { cause: error },
    )
  } finally {
    lock.release()
  }
}

/** That a directory has no copy, in one sentence. */
export function noCopy(directory: string): OperatorError {
  return new OperatorError(
    `no copy to put back in ${directory}: a database is copied before it is migrated, and only the last copy is kept`,
  )
}

/** Errors: OperatorError if the directory cannot be read. */
function namesIn(directory: string): string[] {
  try {
    return existsSync(directory) ? readdirSync(directory) : []
  } catch (error) {
    throw new OperatorError(`cannot use the data directory ${directory}: ${(error as Error).message}`, { cause: error })
  }
}

function copiesIn(directory: string): UpgradeCopy[] {
  return namesIn(directory).flatMap((name) => {
    const [, from, to, day, hour, minute, second] = NAME.exec(name) ?? []
    return day === undefined
      ? []
      : [{ name, from: Number(from), to: Number(to), madeAt: `${day}T${hour}:${minute}:${second}` }]
  })
}

/** Deletes copies, finished or not, but nothing that an undo has set aside. */
function removeCopies(directory: string, which: (name: string) => boolean): void {
  for (const name of readdirSync(directory))
    if (NAME.test(name.replace(UNFINISHED, '')) && which(name)) rmSync(join(directory, name), { recursive: true })
}
