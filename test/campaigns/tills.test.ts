import test from 'node:test'
import { runTillsCampaign } from './tills.ts'

test('50 tills at two services, one of which is killed, over lines that break, spend no more than there is, and nothing twice (decision 140)', async (t) => {
  await runTillsCampaign({ rounds: 1, tills: 50, say: (line) => t.diagnostic(line) })
})
