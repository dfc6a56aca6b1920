import test from 'node:test'
import { runTillsCampaign } from './tills.ts'

test('50 tills at two services, with one service killed and connections breaking, spend no more than there is, and nothing twice (decision 139)', async (t) => {
  await runTillsCampaign({ rounds: 1, tills: 50, say: (line) => t.diagnostic(line) })
})
