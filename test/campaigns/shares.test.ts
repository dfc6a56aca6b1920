import assert from 'node:assert/strict'
import test from 'node:test'
import { runSharesCampaign } from './shares.ts'
import { ATTACK_NAMES, assertExpected } from './shares-attacks.ts'

test('an attack that is only refused, or for want of a scope, fails the campaign', () => {
  assertExpected('jobs', { 200: 1, 429: 700 })
  assertExpected('bodies', {})
  assertExpected('diffs', { 'at the limit': 2 })
  assert.throws(() => assertExpected('diffs', { 400: 1 }), /^Error: diffs/)
  assert.throws(() => assertExpected('jobs', { 429: 700 }), /^Error: jobs: expected answers with 200/)
  assert.throws(() => assertExpected('jobs', { 200: 1, 403: 1 }), /got {"200":1,"403":1}$/)
  assert.throws(() => assertExpected('bodies', { 401: 830 }), /and others only with 408, 429, 503, got/)
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
