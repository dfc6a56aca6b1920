import test from 'node:test'
import { runKillCampaign } from './kill.ts'

for (const database of ['embedded', 'postgres'] as const) {
  test(`nothing that was acknowledged is lost, and no order earns twice, when a process is killed (${database})`, async (t) => {
    // On PostgreSQL the first round kills the service, the second the server.
    await runKillCampaign({ database, rounds: 2, say: (line) => t.diagnostic(line) })
  })
}
