import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RETRY_REASONS } from '../../telemetry/observation.ts'
import { ConcurrentUpdate, type FailureKind, failureOf, NotReplicated } from './failures.ts'

function coded(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`as the server said: ${code}`), { code, ...fields })
}

const rows: readonly (readonly [thrown: unknown, kind: FailureKind])[] = [
  [coded('08001'), 'unreachable'],
  [coded('08004'), 'unreachable'],
  [coded('57P03', { severity: 'FATAL' }), 'unreachable'],
  [coded('ECONNREFUSED', { syscall: 'connect' }), 'unreachable'],
  [coded('ENOENT', { syscall: 'connect' }), 'unreachable'],
  [coded('ENOTFOUND', { syscall: 'getaddrinfo' }), 'unreachable'],
  [new AggregateError([coded('ECONNREFUSED', { syscall: 'connect' })]), 'unreachable'],
  [new Error('Connection terminated due to connection timeout'), 'unreachable'],
  [coded('08000'), 'lost'],
  [coded('08003'), 'lost'],
  [coded('08006'), 'lost'],
  [coded('57P01', { severity: 'FATAL' }), 'lost'],
  ...[
    'server closed the connection unexpectedly',
    'could not receive data from server: Connection timed out',
    'could not send data to server: Broken pipe',
    'failure on connection marked as essential: 10.0.0.2:5432',
    'postmaster was shut down, exiting',
    'could not commit transaction for shard 102008 on at least one active node',
    "failed to prepare transaction 'citus_0_71_9_1' on host 10.0.0.2:5432",
  ].map((message) => [Object.assign(new Error(message), { code: 'XX000' }), 'lost'] as const),
  [Object.assign(new Error('failed to COPY to shard 102008 on 10.0.0.2:5432'), { code: '58030' }), 'lost'],
  [coded('57P02', { severity: 'FATAL' }), 'lost'],
  [coded('25P03', { severity: 'FATAL' }), 'lost'],
  [coded('ECONNRESET', { syscall: 'read' }), 'lost'],
  [coded('EPIPE', { syscall: 'write' }), 'lost'],
  [new Error('Connection terminated unexpectedly'), 'lost'],
  [new Error('Client has encountered a connection error and is not queryable'), 'lost'],
  [coded('25006'), 'read-only'],
  [coded('40001'), 'conflict'],
  [new ConcurrentUpdate('another request writes to the same account'), 'conflict'],
  [coded('40P01'), 'conflict'],
  [coded('55P03'), 'lock-wait'],
  [Object.assign(new Error('canceling statement due to lock timeout'), { code: 'XX000' }), 'lock-wait'],
  [Object.assign(new Error('deadlock detected'), { code: 'XX000' }), 'conflict'],
  [coded('57014'), 'timeout'],
  [new NotReplicated('canceling wait for synchronous replication due to user request'), 'not-replicated'],
  [coded('53300', { severity: 'FATAL' }), 'busy'],
  [coded('53400'), 'busy'],
  [new Error('timeout exceeded when trying to connect'), 'busy'],
  [new Error('The server does not support SSL connections'), 'tls'],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate'],
  [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate'],
  [coded('CERT_HAS_EXPIRED'), 'certificate'],
  [coded('53100'), 'disk'],
  [coded('58030'), 'disk'],
  [coded('22P02'), 'data'],
  [coded('23505'), 'data'],
  [coded('42P01'), 'ours'],
  [coded('0A000'), 'ours'],
  [coded('25P02'), 'ours'],
  [coded('21000'), 'ours'],
  [coded('ENOENT', { syscall: 'open' }), 'ours'],
  [new TypeError('x is not a function'), 'ours'],
  ['a thrown text', 'ours'],
  [undefined, 'ours'],
  [coded('28P01', { severity: 'FATAL' }), 'login'],
  [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'login'],
  [coded('3D000', { severity: 'FATAL' }), 'refused'],
  [coded('42501'), 'denied'],
  [Object.assign(new Error('server conn crashed?'), { code: '08P01' }), 'unreachable'],
  [Object.assign(new Error('no such database: shop'), { code: '08P01' }), 'refused'],
  [Object.assign(new Error('SSL required'), { code: '08P01' }), 'refused'],
  [Object.assign(new Error('SASL authentication failed'), { code: '08P01' }), 'login'],
  [Object.assign(new Error('password authentication failed'), { code: '08P01' }), 'login'],
  [coded('XX001'), 'damaged'],
  [coded('XX002'), 'damaged'],
  [new Error('Aborted(OOM). Build with -sASSERTIONS for more info.'), 'damaged'],
  [Object.assign(new Error('unreachable'), { name: 'RuntimeError' }), 'damaged'],
]

test('every failure has a row in the table', () => {
  for (const [thrown, kind] of rows) assert.equal(failureOf(thrown).kind, kind, String(thrown))
})

test('each failure determines what is retried, what the caller gets, and whether the session is lost', () => {
  // kind: first delay, times, answer, unknown at COMMIT, session lost
  const table: Record<FailureKind, readonly [number | undefined, number | undefined, string, boolean, boolean]> = {
    unreachable: [100, Number.POSITIVE_INFINITY, 'unavailable', true, true],
    lost: [100, Number.POSITIVE_INFINITY, 'unavailable', true, true],
    'read-only': [100, Number.POSITIVE_INFINITY, 'unavailable', false, true],
    conflict: [10, 5, 'unavailable', false, false],
    'lock-wait': [10, 2, 'unavailable', false, false],
    timeout: [undefined, undefined, 'unavailable', true, false],
    'not-replicated': [undefined, undefined, 'unavailable', true, false],
    busy: [100, Number.POSITIVE_INFINITY, 'unavailable', false, true],
    disk: [undefined, undefined, 'unavailable', false, false],
    data: [undefined, undefined, 'as-it-is', false, false],
    ours: [undefined, undefined, 'as-it-is', false, false],
    refused: [undefined, undefined, 'operator', false, true],
    login: [undefined, undefined, 'operator', false, true],
    denied: [undefined, undefined, 'operator', false, true],
    tls: [undefined, undefined, 'unavailable', false, true],
    certificate: [undefined, undefined, 'unavailable', false, true],
    damaged: [undefined, undefined, 'as-it-is', false, true],
  }
  for (const [thrown, kind] of rows) {
    const failure = failureOf(thrown)
    const { retry, response, unknownAtCommit, sessionLost } = failure
    assert.deepEqual([retry?.firstMs, retry?.times, response, unknownAtCommit, sessionLost], table[kind], kind)
    assert.ok(failure.retryAfterS >= 1)
  }
})

test('a FATAL error from the server ends the session, whatever the failure', () => {
  assert.equal(failureOf(coded('42P01', { severity: 'FATAL' })).sessionLost, true)
  assert.equal(failureOf(coded('58030', { severity: 'PANIC' })).sessionLost, true)
})

test('the reasons for which work is retried are those that the metrics count', () => {
  const retried = rows.map(([thrown]) => failureOf(thrown)).filter((one) => one.retry || one.unknownAtCommit)
  assert.deepEqual(new Set(retried.map(({ kind }) => kind)), new Set(RETRY_REASONS))
})
