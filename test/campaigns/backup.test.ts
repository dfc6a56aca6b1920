import test from 'node:test'
import { type BackupCampaign, runBackupCampaign } from './backup.ts'

const SHORT = { clients: 16, kills: 1, seed: 1, refusals: false }
const parts: Readonly<Record<string, Pick<BackupCampaign, 'databases' | 'orders' | 'gets'>>> = {
  'a backup made while clients record is restored on both databases, answers like the original, and no kill leaves anything half done (decision 158)':
    { databases: ['postgres'], orders: 40, gets: 80 },
  'neither a command nor a service that is killed while it copies or erases on the embedded database leaves anything half done (decision 158)':
    { databases: ['embedded'], orders: 0, gets: 0 },
}

for (const [promise, sizes] of Object.entries(parts))
  test(promise, async (t) => {
    await runBackupCampaign({ ...SHORT, ...sizes, say: (line) => t.diagnostic(line) })
  })
