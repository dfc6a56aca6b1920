/*
 * The size of PostgreSQL's page cache (`shared_buffers`). Opening a database zeroes all of it, which takes about 1 ms per megabyte
 * (docs/decisions/0145-command-startup.md).
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** For a service, whose data will grow: the size is fixed when the database is opened. */
export const SERVICE_BUFFERS_MB = 128

const MIN_MB = 16

/** The size in megabytes that holds all tables and indexes below `files`, from 16 to 128; `files` is undefined for a database in memory. */
export function buffersFor(files: string | undefined): number {
  const tables = files === undefined ? undefined : join(files, 'base')
  const megabytes = tables === undefined || !existsSync(tables) ? 0 : Math.ceil(sizeOf(tables) / 2 ** 20)
  return Math.min(SERVICE_BUFFERS_MB, Math.max(MIN_MB, megabytes))
}

function sizeOf(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
