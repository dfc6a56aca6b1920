import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'
import { isAlive } from '../../is-alive.ts'

/** A data directory locked by this process until `release` is called or the process dies, however it dies. */
export interface DirectoryLock {
  /** Whether the directory is still the one that was locked, at its path: somebody may have moved it away, and put another one there. */
  isInPlace(): boolean
  release(): void
}

/**
 * Locks a data directory for this process.
 *
 * The lock is an exclusive transaction on `lock.sqlite`, so the kernel releases it with the process; `lock.pid` only names the holder.
 * Errors: `OperatorError` at once if the directory is locked (one line, with the holder's process id) or cannot be written.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const pidFile = join(directory, 'lock.pid')
  const lockFile = join(directory, 'lock.sqlite')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockFile, { timeout: 0 })
    lock.exec('begin exclusive')
    writeFileSync(pidFile, `${process.pid} ${hostname()}\n`)
  } catch (error) {
    lock?.close()
    if (!isBusy(error))
      throw new OperatorError(`cannot lock the data directory ${directory}: ${(error as Error).message}`)
    throw new OperatorError(
      `the data directory ${directory} is in use by ${holder(pidFile)}: stop it, or set another directory`,
    )
  }
  let held: DatabaseSync | undefined = lock
  const locked = statSync(lockFile)
  const isInPlace = () => {
    const current = statSync(lockFile, { throwIfNoEntry: false })
    return current !== undefined && current.ino === locked.ino && current.dev === locked.dev
  }
  return {
    isInPlace,
    release() {
      if (held === undefined) return
      // Delete the pid file first: once the lock is released, it may already belong to the next holder.
      if (isInPlace()) rmSync(pidFile, { force: true })
      held.close()
      held = undefined
    },
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode
  // The low byte is the primary code; 5 is SQLITE_BUSY.
  return typeof code === 'number' && (code & 0xff) === 5
}

/** Who holds the lock. The pid file may stem from a killed holder, until the next one has written its own. */
function holder(pidFile: string): string {
  let text = ''
  try {
    text = readFileSync(pidFile, 'utf8')
  } catch {
    // Not written yet, or just deleted: only the lock itself counts.
  }
  const [, pid, host] = /^(\d+) (\S+)\n$/.exec(text) ?? []
  if (pid === undefined) return 'another process'
  if (host !== hostname()) return `process ${pid} on host ${host}`
  return isAlive(Number(pid)) ? `process ${pid}` : 'another process'
}
