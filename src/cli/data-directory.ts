/*
 * What a service leaves in its data directory for the commands: where it listens, and the first token (decisions 60 and 65).
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { isAlive } from '../is-alive.ts'
import { sendRequest } from './send-request.ts'

/**
 * Where a service on the embedded database and its console listen, which process it is, and the version of its schema and the oldest that code must
 * know to open it, which only that process can read. A service of an older version has not noted the latter two.
 */
export type ServiceNote = Readonly<{
  url: string
  consoleUrl: string
  pid: number
  schemaVersion?: number
  oldestSchemaVersion?: number | undefined
}>

const FIND_TIMEOUT_MS = 5_000

export const tokenPath = (config: Config) => join(config.dataDirectory, 'token')

const serviceNotePath = (config: Config) => join(config.dataDirectory, 'service.json')

/** Writes the note of a running service atomically: a reader sees the old or the new text, never half of one. */
export function writeServiceNote(config: Config, note: ServiceNote): void {
  const path = serviceNotePath(config)
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Removes the note of this process; that of another one stays. */
export function removeServiceNote(config: Config): void {
  if (readServiceNote(config)?.pid === process.pid) rmSync(serviceNotePath(config), { force: true })
}

function readServiceNote(config: Config): ServiceNote | undefined {
  try {
    return JSON.parse(readFileSync(serviceNotePath(config), 'utf8')) as ServiceNote
  } catch {
    return undefined
  }
}

/** The note of the service that holds the embedded database of a configuration, if one runs. */
export async function findRunningService(config: Config): Promise<ServiceNote | undefined> {
  if (config.databaseUrl !== undefined) return undefined
  const note = readServiceNote(config)
  if (note === undefined) return undefined
  // Another service may be listening at its address by now.
  if (!isAlive(note.pid)) return undefined
  try {
    const { status } = await sendRequest(new URL('/healthz', note.url), { method: 'GET', timeoutMs: FIND_TIMEOUT_MS })
    return status === 200 ? note : undefined
  } catch {
    return undefined // Its process is gone: a service that was killed could not remove it.
  }
}
