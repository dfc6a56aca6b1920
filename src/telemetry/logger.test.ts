import assert from 'node:assert/strict'
import test from 'node:test'
import { pino } from 'pino'
import { logObservations, logOptions } from './logger.ts'

test('an error of the database is logged with its code, and without the values that it names', () => {
  const lines: string[] = []
  const log = logObservations(pino(logOptions('debug'), { write: (line: string) => lines.push(line) }))
  const error = Object.assign(new Error('invalid input syntax for type date: "CANARY"'), {
    code: '22007',
    detail: 'Failing row contains (CANARY)',
    where: 'CANARY',
  })
  log({ kind: 'request-failed', requestId: 'r-1', error })
  assert.equal(lines.length, 1)
  const { level, msg, requestId, error: logged } = JSON.parse(lines[0]!)
  assert.deepEqual([level, msg, requestId, logged.code], ['error', 'request-failed', 'r-1', '22007'])
  assert(!lines[0]!.includes('CANARY'))
})
