import test from 'node:test'
import { runKillCampaign } from './kill.ts'

for (const database of ['embedded', 'postgres'] as const) {
  test(`when a process is killed, nothing acknowledged is lost and no order earns twice (${database})`, async (t) => {
    // On PostgreSQL the first round kills the service, the second the server.
    await runKillCampaign({ database, rounds: 2, killAfter: [6, 14], say: (line) => t.diagnostic(line) })
  })
}
