import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Linux's file system in memory. */
const MEMORY = '/dev/shm'
/** A whole run holds at most half a gigabyte of files at a time; the rest is for its processes. */
const FREE_BYTES_MIN = 3 * 2 ** 30

/**
 * A new directory in memory for the temporary files of a run, deleted when this process ends; undefined if there is no such file system, too
 * little room or memory, or programs may not be run from it. Each test database is some thousand files: creating them on disk takes ten times
 * as long.
 */
export function newMemoryDirectory(): string | undefined {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, process.availableMemory()) < FREE_BYTES_MIN) return undefined
    const directory = mkdtempSync(join(MEMORY, 'laurel-test-'))
    process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
    chmodSync(directory, 0o755) // The test server runs as another user where tests run as root.
    return canRunPrograms(directory) ? directory : undefined
  } catch {
    return undefined
  }
}

function canRunPrograms(directory: string): boolean {
  const program = join(directory, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  } finally {
    rmSync(program)
  }
}
