import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** What has to stay free beside a copy: the service goes on writing. */
const FREE_BYTES_MIN = 256 * 2 ** 20
/** Of other processes and openings: a copy is nobody's yet. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])
const AT_A_TIME = 16

/**
 * Copies the files of a database, for its owner only, and answers how many bytes. Where the file system can, blocks are shared and not copied.
 * Errors: OperatorError where there is no room.
 */
export async function copyFiles(from: string, to: string): Promise<number> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const files: { path: string; size: number }[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await mkdir(join(to, path.slice(from.length)), { mode: 0o700, recursive: true })
    else if (!LEFT_OUT.has(entry.name)) files.push({ path, size: (await stat(path)).size })
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  await assertRoom(dirname(to), bytes)
  const left = files.values()
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const { path } of left) await copyFile(path, join(to, path.slice(from.length)), constants.COPYFILE_FICLONE)
    }),
  )
  return bytes
}

async function assertRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize >= bytes + FREE_BYTES_MIN) return
  const [needed, free] = [bytes + FREE_BYTES_MIN, bavail * bsize].map((size) => Math.ceil(size / 2 ** 20))
  throw new OperatorError(`a copy of the database needs ${needed} MiB beside it, and ${free} MiB are free`)
}
