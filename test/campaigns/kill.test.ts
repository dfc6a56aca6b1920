import test from 'node:test'
import { runKillCampaign } from './kill.ts'

for (const database of ['embedded', 'postgres'] as const) {
  test(`nothing that was acknowledged is lost, and no order earns twice, when a process is killed (${database})`, async (t) => {
    await runKillCampaign({ database, rounds: 3, say: (line) => t.diagnostic(line) })
  })
}
