import type { Command } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function definePredictions(predictions: Command): void {
  predictions
    .command('report')
    .description(
      'say how many recorded orders came out as predicted, and why the others did not; also while a service is running',
    )
    .option(
      '--from <moment>',
      'orders first recorded at this moment or later, like 2027-01-01T00:00:00Z; a date means its start in UTC',
    )
    .option('--to <moment>', 'orders first recorded before this moment')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
The record of an order is compared with the last prediction kept from before it was first recorded. A prediction
came true if it named the points and the level of the order's first recording.
docs/operating.md says what the reasons mean.`,
    )
    .action(loadedFrom(async () => (await import('./predictions-report.ts')).predictionsReport))
}
