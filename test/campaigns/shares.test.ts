import assert from 'node:assert/strict'
import test from 'node:test'
import { beyondBounds, runSharesCampaign } from './shares.ts'
import { ATTACK_NAMES, assertExpected } from './shares-attacks.ts'

test('an attack that is only refused, or for want of a scope, fails the campaign', () => {
  assertExpected('jobs', { 200: 1, 429: 700 })
  assertExpected('bodies', {})
  assertExpected('diffs', { 'at the limit': 2 })
  assert.throws(() => assertExpected('diffs', { 400: 1 }), /^Error: diffs/)
  assert.throws(() => assertExpected('jobs', { 429: 700 }), /^Error: jobs: expected answers with 200/)
  assert.throws(() => assertExpected('jobs', { 200: 1, 403: 1 }), /got {"200":1,"403":1}$/)
  assert.throws(() => assertExpected('test-orders', { 200: 1, 'not run': 1 }), /^Error: test-orders/)
  assert.throws(() => assertExpected('bodies', { 401: 830 }), /and others only with 408, 429, 503, got/)
})

test('an attack that takes more than its share fails the campaign, with what and how much', () => {
  const alone = { count: 1, others: 0, p50: 1, p99: 10 }
  const fair = { alone, beside: { ...alone, p99: 20 }, memoryMb: 300, leftOpen: 0 }
  assert.deepEqual(beyondBounds(fair), [])
  assert.deepEqual(beyondBounds({ ...fair, beside: { ...alone, p99: 21 }, memoryMb: 301, leftOpen: 1 }), [
    'p99 of predictions 2.1 times, expected at most 2',
    '301 MB more memory, expected at most 300',
    '1 connections left open, expected none',
  ])
})

for (const database of ['embedded', 'postgres'] as const) {
  test(`predictions are answered beside each client that takes all that it can get, and nothing is left open (${database})`, async (t) => {
    const rows = await runSharesCampaign({
      ...{ database, attacks: ATTACK_NAMES, seconds: 0.5, share: 0.05 },
      say: (line) => t.diagnostic(line),
    })
    for (const { attack, alone, beside, leftOpen } of rows)
      assert.deepEqual([alone.others, beside.others, leftOpen], [0, 0, 0], attack)
  })
}
