import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineMove(command: Command): void {
  command
    .requiredOption('--to <place>', 'empty PostgreSQL database (postgres://...), or new data directory')
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./move-database.ts')).moveDatabase))
}
