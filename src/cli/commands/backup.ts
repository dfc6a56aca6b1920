import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineBackup(command: Command): void {
  command
    .argument('<file>', 'file to write, which must not exist; - is standard output')
    .option('--verify', 'restore the file into a temporary database and verify its ledger')
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./backup-database.ts')).backupDatabase))
}
