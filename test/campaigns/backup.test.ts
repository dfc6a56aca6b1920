import test from 'node:test'
import { runBackupCampaign } from './backup.ts'

test('a backup made while clients record is restored on both databases, answers like the original, and no kill leaves anything half done (decision 158)', async (t) => {
  await runBackupCampaign({
    databases: ['postgres'],
    ...{ clients: 16, orders: 40, gets: 80, kills: 1, seed: 1, refusals: false },
    say: (line) => t.diagnostic(line),
  })
})
