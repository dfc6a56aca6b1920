/*
 * The thread of one job: opens the database, runs the job, and reports its progress and result.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createDb, type Db } from '../../database/db/transaction.ts'
import { InvalidInput, OperatorError, Unavailable } from '../../errors.ts'
import { jsonOf } from '../../json-sums.ts'
import { lowerPriority } from '../../low-priority.ts'
import type { DatabaseLocation, JobMessage, JobStart } from './job-kind.ts'
import { findJobKind } from './kinds/index.ts'

/** One that the job reads over; on a cluster, another one while it begins (`takeSnapshot`). */
const JOB_CONNECTIONS = 2

const port = parentPort!
const post = (message: JobMessage) => port.postMessage(message)

async function openPlace(place: DatabaseLocation): Promise<Db> {
  if ('server' in place) {
    const { openPostgres } = await import('../../database/postgres/driver.ts')
    return createDb(await openPostgres(place.server.url, { ...place.server, poolMax: JOB_CONNECTIONS }))
  }
  const { openPglite } = await import('../../database/embedded/driver.ts')
  return createDb(await openPglite(place.directory, { onFatal: rethrow, isCopy: true }))
}

function rethrow(error: Error): never {
  throw error
}

async function run({ kind, request, now, place, files }: JobStart): Promise<void> {
  let db: Promise<Db> | undefined
  const openDatabase = () => {
    db ??= openPlace(place)
    return db
  }
  const server = 'server' in place ? place.server : undefined
  try {
    const report = (progress: Extract<JobMessage, { progress: unknown }>['progress']) => post({ progress })
    const result = await findJobKind(kind)!.run(request, {
      openDatabase,
      server,
      now,
      files,
      report,
      isStopped: () => false,
    })
    post({ result: jsonOf(result) })
  } catch (error) {
    const isForCaller = error instanceof OperatorError || error instanceof Unavailable || error instanceof InvalidInput
    if (!isForCaller) throw error
    post({ issue: error.message })
  } finally {
    await (await db?.catch(() => undefined))?.close()
  }
}

lowerPriority('job')
await run(workerData as JobStart)
