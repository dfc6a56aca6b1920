import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** Space that must remain free beside a copy, because the service keeps writing. */
const FREE_BYTES_MIN = 256 * 2 ** 20
/** Not copied: these name the process that has the files open. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])
const AT_A_TIME = 16
/** A file modified this recently may be modified again without its timestamp changing. */
const SETTLED_MS = 2_000

/** A copy of files that may be in use. */
export type FilesCopy = Readonly<{
  /** Copies what has changed since the last time. The copy is consistent if nobody writes during the call. */
  refresh: () => Promise<void>
}>

/**
 * Creates the directory `to`, accessible to its owner only. If the file system supports it, blocks are shared instead of copied. `signal` is
 * checked before each file. Errors: OperatorError if there is too little space; the reason of `signal`.
 */
export async function createFilesCopy(from: string, to: string, signal?: AbortSignal): Promise<FilesCopy> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  await assertRoom(from, to)
  /** Modification time and size of each file as copied. */
  const copied = new Map<string, string>()

  async function copyChanged(path: string): Promise<void> {
    signal?.throwIfAborted()
    const stats = await ifThere(stat(join(from, path), { bigint: true }))
    if (stats === undefined) return
    const seen = `${stats.mtimeNs} ${stats.size}`
    if (copied.get(path) === seen) return
    const isSettled = Number(stats.mtimeMs) < Date.now() - SETTLED_MS
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    await ifThere(copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE))
    copied.set(path, isSettled ? seen : '')
  }

  return {
    refresh: async () => {
      const { directories, files } = await list(from)
      // Empty directories are needed, too.
      for (const path of directories) await mkdir(join(to, path), { recursive: true, mode: 0o700 })
      await forEach(files, copyChanged)
      const there = new Set(files)
      for (const path of copied.keys()) if (!there.has(path)) await rm(join(to, path), { force: true })
    },
  }
}

async function assertRoom(from: string, to: string): Promise<void> {
  let bytes = FREE_BYTES_MIN
  await forEach((await list(from)).files, async (path) => {
    bytes += (await ifThere(stat(join(from, path))))?.size ?? 0
  })
  const { bavail, bsize } = await statfs(to)
  const [needed, free] = [bytes, bavail * bsize].map((size) => Math.ceil(size / 2 ** 20))
  if (free! < needed!)
    throw new OperatorError(`a copy of the database needs ${needed} MiB beside it, but only ${free} MiB are free`)
}

/** The relative paths of everything in a directory. */
async function list(directory: string): Promise<Readonly<{ directories: string[]; files: string[] }>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = (kept: typeof entries) =>
    kept.map(({ parentPath, name }) => join(parentPath.slice(directory.length), name))
  return {
    directories: paths(entries.filter((entry) => entry.isDirectory())),
    files: paths(entries.filter((entry) => entry.isFile() && !LEFT_OUT.has(entry.name))),
  }
}

/** Undefined if the file has disappeared meanwhile, as the database keeps working. */
async function ifThere<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await act
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** After an error nothing more begins. Rejects once nothing is under way any more, so that what has been copied can be deleted. */
async function forEach<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  const errors: unknown[] = []
  const work = async () => {
    for (const one of left) {
      if (errors.length > 0) return
      await act(one).catch((error: unknown) => void errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  if (errors.length > 0) throw errors[0]
}
