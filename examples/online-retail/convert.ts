import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { type Counts, countInvoices } from './counts.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { pounds, toCancellations, toOrders, toPlayers, toProducts } from './records.ts'

const HELP = `Usage: node examples/online-retail/convert.ts INPUT.csv[.gz] OUTPUT_DIR [--decimals N]

Converts the Online Retail data into records that Laurel takes, one JSON object a line:
  products.ndjson       one for each stock code with a price
  players.ndjson        one for each customer number
  orders.ndjson         one for each invoice with a customer
  cancellations.ndjson  one for each cancellation with a customer (not yet a record of the service)

  --decimals N  decimal places of an order's total_amount, 0 to 4 (default: 0, whole pounds rounded down);
                above 0 the program of the service needs money: { decimals: N }
  --help        this text
`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { decimals: { type: 'string', default: '0' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const [input, outputDir] = positionals
  if (input === undefined || outputDir === undefined || positionals.length > 2) {
    throw new Error('expected an input file and an output directory (see --help)')
  }
  if (!/^[0-4]$/.test(values.decimals)) throw new Error(`--decimals is "${values.decimals}", expected 0 to 4`)

  const invoices = await readInvoices(openCsv(input))
  await mkdir(outputDir, { recursive: true })
  const files = {
    'products.ndjson': toProducts(invoices),
    'players.ndjson': toPlayers(invoices),
    'orders.ndjson': toOrders(invoices, { decimals: Number(values.decimals) }),
    'cancellations.ndjson': toCancellations(invoices),
  }
  for (const [name, records] of Object.entries(files)) await writeRecords(join(outputDir, name), records)
  const written = Object.entries(files).map(([name, records]) => row(records.length, name))
  process.stdout.write(
    `${[...summary(countInvoices(invoices)), '', `Written to ${outputDir}`, ...written].join('\n')}\n`,
  )
}

async function writeRecords(path: string, records: readonly object[]): Promise<void> {
  const lines = function* () {
    for (const record of records) yield `${JSON.stringify(record)}\n`
  }
  await pipeline(Readable.from(lines()), createWriteStream(path))
}

function summary(counts: Counts): string[] {
  const { fates } = counts
  const lost = pounds(counts.ordersE4 - counts.ordersWholePounds * 10_000n)
  return [
    `The data, ${counts.firstAt} to ${counts.lastAt}`,
    row(counts.lines, 'lines'),
    row(counts.linesWithoutCustomer, 'without a customer', 1),
    row(counts.linesOfPriceZero, 'with price 0', 1),
    row(counts.linesOfNegativePrice, 'with a negative price (bad debt)', 1),
    row(counts.linesOfNegativeQuantity, 'with a negative quantity outside cancellations (stock corrections)', 1),
    row(counts.invoices, `invoices, ${counts.cancellations} of them cancellations`),
    row(counts.customers, 'customers'),
    row(counts.customersWithoutOrder, 'without an order', 1),
    row(counts.customersOfSeveralCountries, 'of several countries (the latest stands)', 1),
    row(counts.products, 'products'),
    '',
    'What became of the invoices',
    row(fates.order.invoices, `orders of ${fates.order.lines} lines, the longest has ${counts.longestOrder}`),
    row(counts.orderLinesFree, 'of their lines are free (kept, amount 0)', 1),
    row(fates.cancellation.invoices, `cancellations of ${fates.cancellation.lines} lines, kept apart`),
    row(fates['no-customer'].invoices, `left out, no customer (${fates['no-customer'].lines} lines)`),
    row(fates.adjustment.invoices, `left out, adjustments A... (${fates.adjustment.lines} lines)`),
    row(fates['no-usable-line'].invoices, `left out, no usable line (${fates['no-usable-line'].lines} lines)`),
    row(fates['too-many-lines'].invoices, `left out, above 1000 lines (${fates['too-many-lines'].lines} lines)`),
    row(counts.linesDropped, 'lines left out of orders and cancellations (wrong sign)'),
    row(counts.productsWithoutPrice, 'products left out, never a price above 0'),
    `  The orders sum to ${pounds(counts.ordersE4)}; whole pounds (without --decimals) drop ${lost} of it.`,
  ]
}

function row(count: number, what: string, depth = 0): string {
  return `${' '.repeat(depth * 4)}${String(count).padStart(8)}  ${what}`
}

try {
  await main()
} catch (error) {
  process.stderr.write(`convert: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
