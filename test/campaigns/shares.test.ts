import assert from 'node:assert/strict'
import test from 'node:test'
import { runSharesCampaign } from './shares.ts'
import { ATTACK_NAMES } from './shares-attacks.ts'

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
