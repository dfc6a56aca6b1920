import { type Command, Option } from 'commander'
import { loadedFrom } from '../command-parts.ts'

export function definePoints(points: Command): void {
  points
    .command('report')
    .description(
      'report outstanding points of a date range: opening, issued, redeemed, adjusted, reinstated, expired, closing, and when they expire',
    )
    .requiredOption('--from <day>', 'first date, like 2026-01-01')
    .requiredOption('--to <day>', 'last date')
    .option('--known-at <timestamp>', 'as recorded by this time; later records do not count')
    .option(
      '--closed-at <timestamp>',
      'closing time of the previous report; later postings go to the line late (default: none)',
    )
    .option(
      '--point-value <amount>',
      'value of a point, like 0.01 (default: redeem.value in effect, else money.point-value)',
    )
    .addOption(new Option('--csv', 'one figure per line, for spreadsheets').conflicts('json'))
    .option('--json', 'as JSON')
    .action(loadedFrom(async () => (await import('./points-report.ts')).pointsReport))
  points
    .command('expiring')
    .description('list points that expire in a date range, by player and day')
    .requiredOption('--from <day>', 'first date from which the points can no longer be spent')
    .requiredOption('--to <day>', 'last such date')
    .addOption(new Option('--csv', 'as CSV').conflicts('json'))
    .option('--json', 'as NDJSON')
    .action(loadedFrom(async () => (await import('./points-expiring.ts')).pointsExpiring))
}
