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

test('a database that fails for every request is logged once a second for each of its errors, with the cause', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: string[] = []
  const log = logObservations(pino(logOptions('debug'), { write: (line: string) => lines.push(line) }))
  const fail = (requestId: string, code: string) =>
    log({ kind: 'database-failed', requestId, error: Object.assign(new Error(code), { code }) })
  for (const [id, code] of [
    ['r-1', '53100'],
    ['r-2', '53100'],
    ['r-3', 'ECONNREFUSED'],
  ] as const)
    fail(id, code)
  t.mock.timers.tick(1_000)
  fail('r-4', '53100')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ requestId, error }) => [requestId, error.code]),
    [
      ['r-1', '53100'],
      ['r-3', 'ECONNREFUSED'],
      ['r-4', '53100'],
    ],
  )
})

test('with LOG_REQUESTS every request has a line, without it only those that failed', () => {
  const linesWith = (showsRequests: boolean) => {
    const lines: string[] = []
    const log = logObservations(pino(logOptions('info'), { write: (line: string) => lines.push(line) }), showsRequests)
    const answered = { requestId: 'r-1', method: 'GET', route: '/api/players/:user_id', durationMs: 1.5, tokenId: 'a' }
    log({ kind: 'request-answered', ...answered, status: 200, traceparent: undefined })
    log({ kind: 'request-answered', ...answered, status: 500 })
    log({ kind: 'request-refused', ...answered, status: 503 })
    log({ kind: 'order-predicted', durationMs: 1 })
    return lines.map((line) => JSON.parse(line))
  }
  assert.deepEqual(
    linesWith(true).map(({ level, msg, status }) => [level, msg, status]),
    [
      ['info', 'request-answered', 200],
      ['warn', 'request-answered', 500],
      ['info', 'request-refused', 503],
    ],
  )
  const { time, ...line } = linesWith(true)[0]
  assert.deepEqual(line, {
    level: 'info',
    requestId: 'r-1',
    method: 'GET',
    route: '/api/players/:user_id',
    durationMs: 1.5,
    tokenId: 'a',
    status: 200,
    msg: 'request-answered',
  })
  assert.match(time, /^\d{4}-.*Z$/)
  assert.deepEqual(
    linesWith(false).map(({ level, msg, status }) => [level, msg, status]),
    [['warn', 'request-answered', 500]],
  )
})
