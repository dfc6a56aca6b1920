import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineLedger(ledger: Command): void {
  ledger
    .command('verify')
    .description('recompute accounts, orders and statistics, and report differences')
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./ledger-verify.ts')).ledgerVerify))
}
