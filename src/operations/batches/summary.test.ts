import assert from 'node:assert/strict'
import test from 'node:test'
import { type BatchOutcome, summarise } from './summary.ts'

const nothing: BatchOutcome = {
  noun: 'players',
  unchangedCountsAs: 'updated',
  dryRun: false,
  details: false,
  accepted: [],
  verdicts: [],
  rejected: [],
}
const rejected = (position: number, more: object = {}) => ({ position, path: 'data', error: 'wrong', ...more })

test('a message names the players that were skipped, those that came too late not among them (decisions 47, 48 and 71)', () => {
  const messageOf = (outcome: Partial<BatchOutcome>) => summarise({ ...nothing, ...outcome }).message
  assert.equal(messageOf({}), '0 records inserted, 0 records updated, 0 records skipped.')
  assert.equal(
    messageOf({ verdicts: ['inserted', 'unchanged'], rejected: [rejected(2, { key: 'u-2' }), rejected(3)] }),
    '1 record inserted, 1 record updated, 2 records skipped. Skipped user ids: u-2, #3.',
  )
  const stale = rejected(0, { key: 'u-1', verdict: 'stale' })
  assert.equal(messageOf({ rejected: [stale] }), '0 records inserted, 0 records updated, 1 record skipped.')
  assert.match(messageOf({ rejected: [stale, rejected(1, { key: 'u-2' })] }), / Skipped user ids: u-2\.$/)
  const many = Array.from({ length: 22 }, (_, index) => rejected(index))
  assert.match(messageOf({ rejected: many }), / #18, #19 and 2 more\.$/)
  assert.doesNotMatch(messageOf({ noun: 'products', rejected: [rejected(1)] }), /Skipped/)
})
