import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openTestPglite } from '../../../test/support/databases.ts'
import { newDataDirectory } from '../../../test/support/service-process.ts'
import { openRowReader } from '../../bulk/row-reader.ts'
import { readConfig } from '../../config.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { openService } from './service.ts'

const A_DAY_MS = 86_400_000

test('a start that fails late leaves nothing open: its background work and job runner ask the closed database nothing', async (t) => {
  const [own, rows, directory] = [await openTestPglite(t), openRowReader(), await newDataDirectory(t)]
  const seen: string[] = []
  const noted = <Given extends unknown[], Found>(what: string, act: (...given: Given) => Found) => {
    return (...given: Given): Found => {
      seen.push(what)
      return act(...given)
    }
  }
  const db = {
    ...own,
    transaction: noted('transaction', own.transaction) as typeof own.transaction,
    read: noted('read', own.read) as typeof own.read,
    close: noted('database closed', own.close),
  }
  const late = new Error('the files of the console cannot be read')
  const readConsole = () => {
    seen.length = 0
    throw late
  }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const starting = openService(readConfig({}), {
    ...{ log: () => undefined, onFatal: assert.fail, createMetrics },
    jobs: { directory },
    overrides: {
      openDatabase: async () => db,
      rows: { ...rows, close: noted('row reader closed', rows.close) },
      readConsole,
    },
  })
  await assert.rejects(starting, late)
  t.mock.timers.tick(A_DAY_MS)
  // What a job runner does before it asks the database takes as long.
  await rm(join(directory, 'job-snapshot'), { recursive: true, force: true })
  await setImmediate()
  assert.deepEqual(seen, ['row reader closed', 'database closed'])
})
