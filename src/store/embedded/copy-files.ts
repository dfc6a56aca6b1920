import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** What has to stay free beside a copy: the service goes on writing. */
const FREE_BYTES_MIN = 256 * 2 ** 20
/** They say which process works on the files. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])
const AT_A_TIME = 16

/** Makes the directory `to`, for its owner only. Errors: OperatorError where a copy of the files would leave too little room there. */
export async function makeRoom(files: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  let bytes = FREE_BYTES_MIN
  await forEach(await listFiles(files), async (path) => {
    // A file may be gone by now: the database works on.
    bytes += await stat(join(files, path)).then(
      ({ size }) => size,
      () => 0,
    )
  })
  const { bavail, bsize } = await statfs(to)
  const [needed, free] = [bytes, bavail * bsize].map((size) => Math.ceil(size / 2 ** 20))
  if (free! < needed!)
    throw new OperatorError(`a copy of the database needs ${needed} MiB beside it, and ${free} MiB are free`)
}

/** Copies the files of a database that nobody works on meanwhile. Where the file system can, blocks are shared and not copied. */
export async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  // Those within others come after these.
  for (const entry of entries)
    if (entry.isDirectory()) await mkdir(join(to, within(from, entry)), { recursive: true, mode: 0o700 })
  const files = entries.filter((entry) => entry.isFile() && !LEFT_OUT.has(entry.name))
  await forEach(files, async (entry) => {
    const path = within(from, entry)
    await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
  })
}

type Entry = Readonly<{ parentPath: string; name: string }>

function within(directory: string, { parentPath, name }: Entry): string {
  return join(parentPath.slice(directory.length), name)
}

async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => within(directory, entry))
}

async function forEach<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values()
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const one of left) await act(one)
    }),
  )
}
