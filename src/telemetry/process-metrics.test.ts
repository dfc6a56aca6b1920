import assert from 'node:assert/strict'
import test from 'node:test'
import { createProcessMetrics } from './process-metrics.ts'

test('a process counts database retries, and reports how much memory is used and its limit', () => {
  const at = '2026-06-01T12:00:00.000Z'
  const processMetrics = createProcessMetrics(
    () => new Date(at),
    () => 4_096,
  )
  assert.deepEqual([processMetrics.read().startedAt, processMetrics.read().retries], [at, 0])
  const error = new Error('deadlock detected')
  processMetrics.observe({ kind: 'store-retried', reason: 'deadlock', failures: 1, delayMs: 5, error })
  processMetrics.observe({ kind: 'statistics-failed', error })
  const { heap, databaseHeap, retries } = processMetrics.read()
  assert.equal(retries, 1)
  assert.deepEqual(databaseHeap, { bytes: 4_096, maxBytes: 2 ** 31 })
  assert(heap.bytes > 0 && heap.bytes < heap.maxBytes)
  const server = createProcessMetrics(
    () => new Date(at),
    () => undefined,
  )
  assert.equal(server.read().databaseHeap, undefined)
})
