import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function definePredictions(predictions: Command): void {
  predictions
    .command('report')
    .description('compare recorded orders with their predictions')
    .option(
      '--from <timestamp>',
      'orders first recorded at this time or later, like 2027-01-01T00:00:00Z; a date means its start in UTC',
    )
    .option('--to <timestamp>', 'orders first recorded before this time')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
An order is compared with the last stored prediction before its first recording. A prediction came true if its points
and level are those of the first recording. docs/what-if.md explains the reasons.`,
    )
    .action(loadedFrom(async () => (await import('./predictions-report.ts')).predictionsReport))
}
