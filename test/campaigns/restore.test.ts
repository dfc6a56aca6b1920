import test from 'node:test'
import { runRestoreCampaign } from './restore.ts'

test('an old process neither writes into a restored directory nor acknowledges what is lost', async (t) => {
  await runRestoreCampaign({ rounds: 1, say: (line) => t.diagnostic(line) })
})
