import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** What has to stay free beside a copy: the service goes on writing. */
const FREE_BYTES_MIN = 256 * 2 ** 20
/** They say which process works on the files. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])
const AT_A_TIME = 16
/** A file that was written so shortly before it was looked at may be written again without looking younger. */
const SETTLED_MS = 2_000

/** A copy of files that others may be writing. */
export type FilesCopy = Readonly<{
  /** Copies what has changed since the last time. A copy of one state is what comes of it while nobody writes. */
  refresh: () => Promise<void>
}>

/**
 * Makes the directory `to`, for its owner only. Where the file system can, blocks are shared and not copied. Errors: OperatorError where there
 * is too little room.
 */
export async function createFilesCopy(from: string, to: string): Promise<FilesCopy> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  await assertRoom(from, to)
  /** When a file was written last, and its size, as it was copied. */
  const copied = new Map<string, string>()

  async function copyChanged(path: string): Promise<void> {
    const found = await ifThere(stat(join(from, path), { bigint: true }))
    if (found === undefined) return
    const seen = `${found.mtimeNs} ${found.size}`
    if (copied.get(path) === seen) return
    const isSettled = Number(found.mtimeMs) < Date.now() - SETTLED_MS
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 })
    await ifThere(copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE))
    copied.set(path, isSettled ? seen : '')
  }

  return {
    refresh: async () => {
      const { directories, files } = await list(from)
      // Empty ones are needed, too.
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
    throw new OperatorError(`a copy of the database needs ${needed} MiB beside it, and ${free} MiB are free`)
}

/** The paths within a directory. */
async function list(directory: string): Promise<Readonly<{ directories: string[]; files: string[] }>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = (kept: typeof entries) =>
    kept.map(({ parentPath, name }) => join(parentPath.slice(directory.length), name))
  return {
    directories: paths(entries.filter((entry) => entry.isDirectory())),
    files: paths(entries.filter((entry) => entry.isFile() && !LEFT_OUT.has(entry.name))),
  }
}

/** Undefined where a file is gone by now: the database works on. */
async function ifThere<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await act
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function forEach<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const one of left) await act(one)
    }),
  )
}
