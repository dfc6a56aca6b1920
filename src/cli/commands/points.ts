import { type Command, Option } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function definePoints(points: Command): void {
  points
    .command('report')
    .description(
      'outstanding points of a span: opening, issued, redeemed, adjusted, reinstated, expired, closing, and when they expire; also while a service is running',
    )
    .requiredOption('--from <day>', 'the first day, like 2026-01-01')
    .requiredOption('--to <day>', 'the last day')
    .option('--known-at <moment>', 'as known at this moment: what was recorded later does not count')
    .option(
      '--closed-at <moment>',
      'when the days before were reported: what was recorded for them later is the line late',
    )
    .option(
      '--point-value <amount>',
      'what a point is worth, like 0.01 (default: redeem.value of the version in effect, else the setting money.point-value)',
    )
    .addOption(new Option('--csv', 'one figure per line, for spreadsheets').conflicts('json'))
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./points-report.ts')).pointsReport))
  points
    .command('expiring')
    .description('whose points expire on which day, for mailings; also while a service is running')
    .requiredOption('--from <day>', 'the first day on which they can no longer be spent')
    .requiredOption('--to <day>', 'the last such day')
    .addOption(new Option('--csv', 'as CSV').conflicts('json'))
    .option('--json', 'a line of JSON for each')
    .action(loadedFrom(async () => (await import('./points-expiring.ts')).pointsExpiring))
}
