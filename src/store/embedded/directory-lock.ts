import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'

/** A data directory held by this process until `release` is called, or until the process dies, however it dies. */
export interface DirectoryLock {
  release(): void
}

/**
 * Takes a data directory for this process alone.
 *
 * The lock is an exclusive transaction on `lock.sqlite`, so the kernel lets go of it with the process; `lock.pid` only names the holder.
 * Errors: `OperatorError` at once where the directory is held (one line, with the holder's process id) or cannot be written.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const pidFile = join(directory, 'lock.pid')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(directory, 'lock.sqlite'), { timeout: 0 })
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
  return {
    release() {
      if (held === undefined) return
      // The name goes first: once the lock is gone, the file may already be the next holder's.
      rmSync(pidFile, { force: true })
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

/** Who holds the lock. The text can be one that a killed holder left, for as long as the next one has not written its own. */
function holder(pidFile: string): string {
  let text = ''
  try {
    text = readFileSync(pidFile, 'utf8')
  } catch {
    // No name yet, or just taken away: the lock alone decides.
  }
  const [, pid, host] = /^(\d+) (\S+)\n$/.exec(text) ?? []
  if (pid === undefined) return 'another process'
  if (host !== hostname()) return `process ${pid} on host ${host}`
  return isAlive(Number(pid)) ? `process ${pid}` : 'another process'
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
