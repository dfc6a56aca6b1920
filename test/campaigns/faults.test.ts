import test from 'node:test'
import { runFaultsCampaign } from './faults.ts'

test('whatever is delayed or cut, the last acknowledged state is stored, and the ledger adds up (decisions 71 and 72)', async (t) => {
  await runFaultsCampaign(t, { histories: 15, seed: Date.now() % 2 ** 31, say: (line) => t.diagnostic(line) })
})
