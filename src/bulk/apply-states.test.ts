import assert from 'node:assert/strict'
import test from 'node:test'
import type { Row } from '../engine/ingest/batch.ts'
import { applyStates } from './apply-states.ts'

const row = (fingerprint: string, stateVersion?: number): Row => ({
  key: 'k',
  position: 0,
  row: fingerprint,
  fingerprint,
  ...(stateVersion === undefined ? {} : { stateVersion }),
})

test('states of the same key are applied one by one, as if each came in its own request (decision 41)', () => {
  const [a, b] = [row('a'), row('b')]
  assert.deepEqual(applyStates([a, a, b, b], undefined), {
    verdicts: ['inserted', 'unchanged', 'updated', 'unchanged'],
    changed: b,
    raisedTo: undefined,
  })
  assert.deepEqual(applyStates([a], { fingerprint: 'a' }), {
    verdicts: ['unchanged'],
    changed: undefined,
    raisedTo: undefined,
  })
  assert.deepEqual(applyStates([b, a], { fingerprint: 'a' }).changed, undefined, 'the last state is already stored')
})

test('a state with a lower version is stale, one with the same version and different content conflicts, and neither is written (decision 71)', () => {
  const stored = { fingerprint: 'a', stateVersion: 5 }
  assert.deepEqual(applyStates([row('b', 4), row('b', 5), row('a', 6)], stored), {
    verdicts: ['stale', 'conflict', 'unchanged'],
    changed: undefined,
    raisedTo: 6,
  })
  assert.equal(applyStates([row('b')], stored).raisedTo, undefined, 'without a version the recorded one stays')
})
