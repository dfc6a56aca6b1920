import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineMigrate(command: Command): void {
  command
    .option('--check', 'list the steps that are still to run, what each does and locks, and run nothing')
    .option('--no-copy', 'do not copy the embedded database before it is migrated; --undo then has nothing to put back')
    .option('--undo', 'put back the copy of the embedded database that was made before it was last migrated')
    .option('--distribute', 'also spread the tables over the servers of a cluster (Citus), where PostgreSQL has one')
    .option('--shards <count>', 'with --distribute: in so many parts, by default one for each server')
    .option('--yes', 'with --undo: do not ask')
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./migrate-schema.ts')).migrateSchema))
}
