import test from 'node:test'
import { runFaultsCampaign } from './faults.ts'

test('whatever is held back or cut, the last state that was acknowledged stands, and the ledger adds up (decisions 71 and 72)', async (t) => {
  await runFaultsCampaign(t, { histories: 15, seed: Date.now() % 2 ** 31, say: (line) => t.diagnostic(line) })
})
