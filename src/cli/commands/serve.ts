import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function defineServe(command: Command): void {
  command
    .option('--workers <count>', 'worker processes; more than 1 needs PostgreSQL; overrides WORKERS')
    .action(loadedFrom(async () => (await import('../serve/serve.ts')).serve))
}
