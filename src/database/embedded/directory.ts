import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { chmod, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { type DirectoryLock, lockDirectory } from './directory-lock.ts'
import { unpackDatabase } from './fresh-database.ts'

const SYNCED_AT_ONCE = 32
/** On Linux, the files that the process has open, each as a link to where it is now. */
const OPEN_FILES = '/proc/self/fd'

/** A data directory, locked and ready for PGlite to open `files`. */
export interface DataDirectory {
  /** The directory and the files of its database, by paths that follow them if they are moved, where the system has such paths. */
  readonly path: string
  readonly files: string
  /** Call once PGlite has opened `files`: syncs what a first start created to disk and marks it as complete. */
  declareWhole(): Promise<void>
  /** Whether the directory is still the one that was opened, at its path: it may have been moved, replaced or deleted since. */
  isInPlace(): boolean
  release(): void
}

/**
 * Creates (mode 0700), locks and checks a data directory.
 *
 * During a first start the file `unfinished` lies among the database's files until they are complete and on disk. A start that finds it
 * deletes them and begins again, as they hold no data yet. Files without it are never deleted: they may be a restored backup.
 * New files are unpacked from `fresh`; if that is missing or damaged, PGlite creates them itself.
 * Errors: `OperatorError` if the directory is locked by another process, cannot be written, or contains something else.
 */
export function prepareDirectory(directory: string, fresh: string): DataDirectory {
  let lock: DirectoryLock | undefined
  try {
    makeDirectory(directory)
    lock = lockDirectory(directory)
    const files = join(directory, 'pglite')
    const unfinished = join(files, 'unfinished')
    // PGlite does not follow it, and would take the database for damaged.
    if (lstatSync(files, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new OperatorError(`${files} is a symbolic link: make ${directory} the link instead`)
    makeFiles(directory, files, unfinished, fresh)
    const followed = followDirectory(directory)
    const { isInPlace, release } = lock
    return {
      path: followed.path,
      files: join(followed.path, 'pglite'),
      async declareWhole() {
        if (!existsSync(unfinished)) return
        await syncTree(files)
        rmSync(unfinished)
        syncSync(files)
      },
      isInPlace,
      release() {
        release()
        followed.close()
      },
    }
  } catch (error) {
    lock?.release()
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot use the data directory ${directory}: ${(error as Error).message}`)
  }
}

/**
 * A path to a directory that stays a path to it when it is moved. PGlite opens its files by path, also in the middle of a message: by the path of the
 * directory, a process that was still writing would write into the one that was put in its place.
 */
function followDirectory(directory: string): Readonly<{ path: string; close: () => void }> {
  if (!existsSync(OPEN_FILES)) return { path: directory, close: () => undefined }
  const held = openSync(directory, 'r')
  let isOpen = true
  return {
    path: join(OPEN_FILES, String(held)),
    close: () => {
      if (isOpen) closeSync(held)
      isOpen = false
    },
  }
}

/** Whether a data directory holds a database whose first start was completed. */
export function holdsDatabase(directory: string): boolean {
  const files = join(directory, 'pglite')
  return existsSync(join(files, 'PG_VERSION')) && !existsSync(join(files, 'unfinished'))
}

function makeDirectory(directory: string): void {
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // A new directory entry is durable only once its parent directory is synced.
  for (let made = directory; made.length >= first.length; made = dirname(made)) syncSync(dirname(made))
}

function makeFiles(directory: string, files: string, unfinished: string, fresh: string): void {
  mkdirSync(files, { recursive: true, mode: 0o700 })
  // Only if needed: the owner may be another user, as on a mounted volume.
  if ((statSync(files).mode & 0o077) !== 0) chmodSync(files, 0o700)
  const entries = readdirSync(files)
  if (existsSync(unfinished)) {
    // The marker stays until the end; otherwise a kill here would leave half the files without it.
    for (const name of entries) if (name !== 'unfinished') rmSync(join(files, name), { recursive: true })
  } else if (entries.length === 0) {
    closeSync(openSync(unfinished, 'w', 0o600))
    for (const path of [unfinished, files, directory]) syncSync(path)
  } else if (!entries.includes('PG_VERSION')) {
    throw new OperatorError(
      `${files} holds files that are not a database: move them away, or set another data directory`,
    )
  } else return
  unpackDatabase(fresh, files)
}

/** Waits until a file or directory is on the disk. */
export function syncSync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Waits until everything in a directory is on the disk, readable by its owner only: PGlite creates a database, and files are copied, without either.
 * Not all at once: a process may open 1,024 files, or fewer.
 */
export async function syncTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  for (let at = 0; at < entries.length; at += SYNCED_AT_ONCE)
    await Promise.all(
      entries.slice(at, at + SYNCED_AT_ONCE).map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        await chmod(path, entry.isDirectory() ? 0o700 : 0o600)
        await sync(path)
      }),
    )
  await sync(directory)
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
