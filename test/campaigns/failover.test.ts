import test from 'node:test'
import { runFailoverCampaign } from './failover.ts'

test('a service goes on by itself when a standby takes over from its database, and no acknowledged order is lost or doubled', async (t) => {
  await runFailoverCampaign({ rounds: 1, clients: 16, say: (line) => t.diagnostic(line) })
})
