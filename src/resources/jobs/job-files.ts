/*
 * Files that jobs on the embedded database leave for the commands that asked for them.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'

/** A command looks every second whether its job has ended, and then takes the file. */
const FILES_KEPT_MS = 60_000

/** The directory of these files, in a data directory. */
export const jobFilesIn = (directory: string) => join(directory, 'job-files')

/** Makes the directory, without those files that nobody has taken, or that a job which was stopped has left unfinished. */
export function tidyJobFiles(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (name.endsWith('.unfinished') || mtimeMs < Date.now() - FILES_KEPT_MS) rmSync(path, { force: true })
  }
}

/** The name and the path of a new file that `laurel <command>` takes. Errors: OperatorError on a server, which has no such directory. */
export function newJobFile(directory: string | undefined, command: string): Readonly<{ file: string; path: string }> {
  if (directory === undefined)
    throw new OperatorError(`on PostgreSQL, run laurel ${command} with DATABASE_URL set: it reads the server itself`)
  const file = `${command}-${randomUUID()}`
  return { file, path: join(directory, file) }
}

/** What the result of a job says of its file. */
export const JOB_FILE_FIELDS = {
  file: RESPONSE_PARTS.text(
    'name of the file in `job-files` in the data directory; a job that begins a minute later or more deletes it',
  ),
  at: RESPONSE_PARTS.timestamp('when the job began; everything recorded before is in the file'),
} as const
