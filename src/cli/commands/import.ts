import type { Command } from 'commander'
import { collected, completedArgument, loadedFrom, URL_OPTION } from '../command-parts.ts'
import type { ImportOptions } from './import-file.ts'

export function defineImport(command: Command): void {
  command
    .addArgument(completedArgument('<noun>', ['players', 'products', 'orders', 'balances', 'all']))
    .argument('<file>')
    .option(...URL_OPTION)
    .option('--dry-run', 'report what would happen, and write nothing')
    .option('--preset <product>', 'read the export of shopify or woocommerce (players, products, orders)')
    .option('--map <field=columns>', 'source columns of a field; repeatable', collected, [])
    .option('--default <field=value>', 'default for empty cells; repeatable', collected, [])
    .option(
      '--values <field=meanings>',
      'meanings of words in the file, like Gender=Frau:female,Herr:male; repeatable',
      collected,
      [],
    )
    .option(
      '--leave-out <fields>',
      'fields to leave out if invalid, like Phone,Email; products: invalid lines of orders',
      collected,
      [],
    )
    .option(
      '--ignore-without <fields>',
      'ignore records without a value in one of these fields, such as receipts without a customer: user_id',
      collected,
      [],
    )
    .option('--date-format <format>', 'date format of the file, like DD/MM/YYYY (DD or D, MM or M, YYYY)')
    .option('--time-zone <name>', 'time zone of timestamps without one, like Europe/Berlin (default: UTC)')
    .option('--decimal <sign>', 'comma for 12,50, point for 12.50 (default: point)')
    .option(
      '--delimiter <sign>',
      'column separator: one character, or tab (default: the comma, ;, tab or | in the first line)',
    )
    .option('--encoding <name>', 'utf-8, windows-1252 or latin1 (default: utf-8)')
    .option('--format <name>', 'csv, tsv, json or ndjson (default: by file extension)')
    .option('--blank', 'players: empty cells in the newest row of a player clear the stored fields')
    .option('--same-orders', 'orders: treat equal IDs as the same order, even more than 180 days apart')
    .option('--skipped <path>', 'file for skipped records and reasons (default: <file>.skipped.ndjson)')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(
      loadedFrom(async () => async (noun: string, path: string, options: ImportOptions) => {
        if (noun === 'all') return (await import('./import-all.ts')).importEverything(path, options)
        return (await import('./import-file.ts')).importFile(noun, path, options)
      }),
    )
}

const EXAMPLES = `
The first line of a table names its columns. --map joins columns and texts with +; of alternatives separated by | it takes the first that is
not empty. Put a name with blanks, + or | in double quotes, a text with letters in single ones. Where an order has several rows, sum(COLUMN)
adds up its total_amount, discount or total_qty, and first(COLUMNS) accepts rows that differ:
  laurel import players customers.csv --map Name="First Name"+" "+"Last Name" --default Country=DE --date-format DD.MM.YYYY
  laurel import products price-list.csv --delimiter ";" --encoding windows-1252 --decimal comma
  laurel import orders orders_export.csv --preset shopify --dry-run
  laurel import orders receipts.csv --map "total_amount=sum(Amount)" --map products.product_sku_id=SKU --map products.amount=Amount
  gunzip -c orders.gz | laurel import orders - --format csv
Skipped records can be corrected in their file and imported again, without these options. docs/import.md says more.`
