/*
 * The thread of one job: it opens the database of its place, runs the job, and tells how far it has come and what it found.
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { InvalidInput, OperatorError, Unavailable } from '../../errors.ts'
import { createDb, type Db } from '../../store/db/transaction.ts'
import type { JobMessage, JobPlace, JobStart } from './job-messages.ts'
import { findJobKind } from './kinds/index.ts'

/** As `nice` has it. */
const PRIORITY = 10

const port = parentPort!
const tell = (message: JobMessage) => port.postMessage(message)

async function openPlace(place: JobPlace): Promise<Db> {
  if ('server' in place) {
    const { openPostgres } = await import('../../store/postgres/driver.ts')
    return createDb(await openPostgres(place.server.url, { ...place.server, poolMax: 1 }))
  }
  const { openPglite } = await import('../../store/embedded/driver.ts')
  return createDb(await openPglite(place.directory, { onFatal: rethrow, isCopy: true }))
}

function rethrow(error: Error): never {
  throw error
}

async function run({ kind, request, now, place }: JobStart): Promise<void> {
  let db: Promise<Db> | undefined
  const openDatabase = () => {
    db ??= openPlace(place)
    return db
  }
  const server = 'server' in place ? place.server : undefined
  try {
    const report = (progress: Extract<JobMessage, { progress: unknown }>['progress']) => tell({ progress })
    const found = await findJobKind(kind)!.run(request, { openDatabase, server, now, report, isStopped: () => false })
    tell({ result: JSON.stringify(found) })
  } catch (error) {
    const isForCaller = error instanceof OperatorError || error instanceof Unavailable || error instanceof InvalidInput
    if (!isForCaller) throw error
    tell({ fault: error.message })
  } finally {
    await (await db?.catch(() => undefined))?.close()
  }
}

// Requests go first. Linux takes it for this thread, and for those that it starts; elsewhere it would be for the whole process.
if (process.platform === 'linux') setPriority(PRIORITY)
await run(workerData as JobStart)
