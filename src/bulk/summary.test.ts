import assert from 'node:assert/strict'
import test from 'node:test'
import { type BatchOutcome, summarise } from './summary.ts'

const nothing: BatchOutcome = {
  noun: 'players',
  unchangedCountsAs: 'updated',
  dryRun: false,
  details: false,
  by: 't-1',
  accepted: [],
  verdicts: [],
  rejected: [],
}
const rejected = (position: number, more: object = {}) => ({
  position,
  path: 'data',
  error: 'wrong',
  kind: 'other',
  ...more,
})

test('a message names the skipped players, except those with stale states, and says why the first was skipped (decisions 47 and 71)', () => {
  const messageOf = (outcome: Partial<BatchOutcome>) => summarise({ ...nothing, ...outcome }).message
  assert.equal(messageOf({}), '0 records inserted, 0 records updated, 0 records skipped.')
  assert.equal(
    messageOf({ verdicts: ['inserted', 'unchanged'], rejected: [rejected(2, { key: 'u-2' }), rejected(3)] }),
    '1 record inserted, 1 record updated, 2 records skipped. Skipped user ids: u-2, #3. First: data: wrong.',
  )
  const stale = rejected(0, { key: 'u-1', verdict: 'stale' })
  assert.equal(messageOf({ rejected: [stale] }), '0 records inserted, 0 records updated, 1 record skipped.')
  assert.match(messageOf({ rejected: [stale, rejected(1, { key: 'u-2' })] }), / Skipped user ids: u-2\. First: /)
  const many = Array.from({ length: 22 }, (_, index) => rejected(index))
  assert.match(messageOf({ rejected: many }), / #18, #19 and 2 more\. First: /)
  assert.match(
    messageOf({ noun: 'orders', rejected: [rejected(0, { key: 'o-9' })] }),
    / Skipped order ids: o-9\. First: /,
  )
  for (const noun of ['products', 'adjustments'] as const)
    assert.match(messageOf({ noun, rejected: [rejected(1)] }), /1 record skipped\. First: data: wrong\.$/)
})

test('the first reason gives the path of its field (decision 47)', () => {
  const first = (path: string, error: string) =>
    summarise({ ...nothing, rejected: [rejected(3, { path, error }), rejected(4)] }).message.replace(/^.* First: /, '')
  assert.equal(first('data[3].DOB', 'DOB is required'), 'data[3].DOB is required.')
  assert.equal(
    first('data[3].Gender', 'expected male or female, got "x"'),
    'data[3].Gender: expected male or female, got "x".',
  )
  assert.equal(first('data[3]', 'expected an object, got 7'), 'data[3]: expected an object, got 7.')
})
