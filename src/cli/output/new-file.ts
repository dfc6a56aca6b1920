/*
 * Files that a command makes, and the service may have written for it.
 */
import { createReadStream, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { moveWholeFile } from '../../database/backup/whole-file.ts'
import { OperatorError } from '../../errors.ts'
import { jobFilesIn } from '../../resources/jobs/job-files.ts'
import { printChunks } from './print.ts'

/** Names standard output, where a command takes a file. */
export const STANDARD_OUTPUT = '-'

/** Errors: OperatorError if there is such a file. */
export function assertNewFile(path: string): void {
  if (path !== STANDARD_OUTPUT && existsSync(path)) throw new OperatorError(`${path} exists: choose another name`)
}

/** Brings what a job wrote under `name` where the command was told to. Errors: OperatorError. */
export async function takeJobFile(name: string, path: string): Promise<void> {
  const jobFile = join(jobFilesIn(readConfig().dataDirectory), name)
  if (path === STANDARD_OUTPUT) await printChunks(createReadStream(jobFile))
  else moveWholeFile(jobFile, path)
  rmSync(jobFile, { force: true })
}

/** The size of a file, for people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
