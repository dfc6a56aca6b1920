import assert from 'node:assert/strict'
import test from 'node:test'
import type { Row } from '../../ingest/batch.ts'
import { takeStates } from './take-states.ts'

const row = (fingerprint: string, stateVersion?: number): Row => ({
  key: 'k',
  position: 0,
  row: fingerprint,
  fingerprint,
  ...(stateVersion === undefined ? {} : { stateVersion }),
})

test('states of one key are taken one by one, as if each had a request of its own (decision 41)', () => {
  const [a, b] = [row('a'), row('b')]
  assert.deepEqual(takeStates([a, a, b, b], undefined), {
    verdicts: ['inserted', 'unchanged', 'updated', 'unchanged'],
    changed: b,
    raisedTo: undefined,
  })
  assert.deepEqual(takeStates([a], { fingerprint: 'a' }), {
    verdicts: ['unchanged'],
    changed: undefined,
    raisedTo: undefined,
  })
  assert.deepEqual(takeStates([b, a], { fingerprint: 'a' }).changed, undefined, 'the last is what is stored already')
})

test('a state of a lower version is stale, one of the same version with other content conflicts, and neither is written (decision 71)', () => {
  const stored = { fingerprint: 'a', stateVersion: 5 }
  assert.deepEqual(takeStates([row('b', 4), row('b', 5), row('a', 6)], stored), {
    verdicts: ['stale', 'conflict', 'unchanged'],
    changed: undefined,
    raisedTo: 6,
  })
  assert.equal(takeStates([row('b')], stored).raisedTo, undefined, 'without a version the recorded one stays')
})
