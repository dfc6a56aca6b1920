import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineRestore(command: Command): void {
  command
    .argument('<file>', 'file that laurel backup wrote; - is standard input')
    .option('--verify', 'verify the ledger afterwards')
    .option('--drill', 'restore into a temporary database, verify its ledger, and delete it')
    .option(
      '--ended-since <file>',
      'a later backup: what it says was revoked or erased since is revoked and erased again',
    )
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./restore-database.ts')).restoreDatabase))
}
