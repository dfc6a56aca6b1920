import { writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse'
import { openCsv } from '../invoices.ts'

/** The day that the extract shows in full for its customers. */
const DAY = '2010-12-16'
/** Customers of that day with more lines than this over all months are left out, to keep the extract small. */
const CUSTOMER_LINES_MAX = 60

/** Customers beyond the rule, each for something that the others do not show. */
const MORE_CUSTOMERS = [
  '16029.0', // An order of the day large enough for Silver at once.
  '12346.0', // One order of 77,183.60, cancelled 16 minutes later.
  '12503.0', // A cancellation and no order.
  '12422.0', // Two countries.
  '14514.0', // An invoice typed over the turn of a minute.
  '15618.0', // A price of 0.001.
]

/** Invoices beyond the rule, none of which has a customer. */
const MORE_INVOICES = [
  'A563185', // Bad debt,
  'A563186', // with a negative price,
  'A563187', // twice.
  '536589', // A stock correction: a negative quantity, yet no cancellation.
  '556823', // Stock codes in small letters, `85123a` beside `85123A`.
]

const HELP = `Usage: node examples/online-retail/extract/make-extract.ts FULL.csv[.gz] [OUTPUT.csv]

Selects the extract's lines, unchanged and in their order, from the full file. SOURCE.md says which.
Without OUTPUT.csv the extract beside this script is written again.
`

interface RawRow {
  readonly raw: string
  readonly record: readonly string[]
}

/** Reads a CSV row by row, each with its text as it stands in the file. The first row is the heading. */
async function* readRaw(path: string): AsyncGenerator<RawRow> {
  const rows = parse({ raw: true })
  // The reader below reports this error; here it would only be reported twice.
  const reading = pipeline(openCsv(path), rows).catch(() => {})
  yield* rows as AsyncIterable<RawRow>
  await reading
}

async function chooseCustomers(path: string): Promise<Set<string>> {
  const lines = new Map<string, number>()
  const ofTheDay = new Set<string>()
  for await (const { record } of readRaw(path)) {
    const [number = '', , , , date = '', , customer = ''] = record
    lines.set(customer, (lines.get(customer) ?? 0) + 1)
    if (date.startsWith(DAY) && !number.startsWith('C')) ofTheDay.add(customer)
  }
  ofTheDay.delete('')
  const small = [...ofTheDay].filter((customer) => (lines.get(customer) ?? 0) <= CUSTOMER_LINES_MAX)
  return new Set([...small, ...MORE_CUSTOMERS])
}

async function* select(path: string): AsyncGenerator<string> {
  const customers = await chooseCustomers(path)
  let heading = true
  for await (const { raw, record } of readRaw(path)) {
    const [number = '', , , , date = '', , customer = ''] = record
    const namelessOfTheDay = customer === '' && date.startsWith(DAY)
    if (heading || customers.has(customer) || namelessOfTheDay || MORE_INVOICES.includes(number)) yield raw
    heading = false
  }
}

async function main(input: string, output: string): Promise<void> {
  const lines: string[] = []
  for await (const line of select(input)) lines.push(line)
  // Written in one piece at the end, so that a failed read leaves the old extract unchanged.
  await writeFile(output, lines.join(''))
  process.stdout.write(`${lines.length - 1} lines written to ${output}\n`)
}

const [input, output = fileURLToPath(new URL('online-retail-extract.csv', import.meta.url))] = process.argv.slice(2)
if (input === undefined || input.startsWith('-')) {
  process.stdout.write(HELP)
  process.exitCode = input === '--help' ? 0 : 1
} else {
  try {
    await main(input, output)
  } catch (error) {
    process.stderr.write(`make-extract: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
