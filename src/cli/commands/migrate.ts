import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineMigrate(command: Command): void {
  command
    .option('--check', 'list the steps that are still to run, what each does and locks, and run nothing')
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./migrate-schema.ts')).migrateSchema))
}
