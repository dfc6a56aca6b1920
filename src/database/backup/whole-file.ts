import { copyFileSync, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../errors.ts'
import { syncSync } from '../embedded/directory.ts'

type Chunks = AsyncIterable<string | Uint8Array>

/**
 * Writes a new file that only its owner can read: `fill` calls `write` once. The file appears once it is whole and on the disk.
 * Errors: OperatorError if it cannot be written; those of `fill`.
 */
export async function writeWholeFile<T>(
  path: string,
  fill: (write: (chunks: Chunks) => Promise<void>) => Promise<T>,
): Promise<T> {
  const unfinished = `${path}.unfinished`
  try {
    const result = await fill((chunks) =>
      pipeline(Readable.from(chunks), createWriteStream(unfinished, { mode: 0o600, flush: true })),
    )
    renameSync(unfinished, path)
    syncSync(dirname(path))
    return result
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished)
    throw fileError(path, error)
  }
}

/**
 * Moves a file to where it is wanted, also to another disk. It appears there once it is whole and on the disk. Errors: OperatorError if it cannot be
 * written there.
 */
export function moveWholeFile(from: string, to: string): void {
  try {
    moveFile(from, to)
    syncSync(dirname(to))
  } catch (error) {
    throw fileError(to, error)
  }
}

function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
  }
  const unfinished = `${to}.unfinished`
  try {
    copyFileSync(from, unfinished)
    syncSync(unfinished)
    renameSync(unfinished, to)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** What to tell an operator of a file that cannot be read or written; any other error as it is. */
export function fileError(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall === undefined ? error : new OperatorError(`${path}: ${reasonOf(code)}`, { cause: error })
}

function reasonOf(code: string | undefined): string {
  if (code === 'ENOSPC') return 'the disk is full'
  return code === 'ENOENT' ? 'there is no such file or directory' : `it cannot be read or written (${code})`
}
