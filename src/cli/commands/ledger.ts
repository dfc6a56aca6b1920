import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineLedger(ledger: Command): void {
  ledger
    .command('verify')
    .description('derive every account and every order again, and say what differs; also while a service is running')
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./ledger-verify.ts')).ledgerVerify))
}
