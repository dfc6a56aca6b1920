/*
 * `npm run bench:pairs`: how much processor time the service of another checkout takes for each request, in multiples of what this one takes. Each pair
 * of figures comes from two fresh starts on copies of equal data, which are sent the same requests in turn, a slice at a time: what else the machine
 * does then concerns both alike.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { processorSecondsOf, THIS_CHECKOUT } from '../test/support/service-process.ts'
import { REQUEST_RECORDS, upsertRate } from './bulk.ts'
import { commitOf, databaseOption, databasesOf, machine, positive, wholeNumber } from './command.ts'
import { median, quantile } from './figures.ts'
import { ORDERS_PATH, PLAYERS_PATH, sendAll, type Target } from './http.ts'
import { askedOften, LOAD_CONNECTIONS, type OrderMaker, PREDICTIONS_PATH, predictionsOf, sendEach } from './load.ts'
import { publish, redeeming } from './paying.ts'
import { logProgress } from './progress.ts'
import { sizeOf } from './round.ts'
import { anOrder, aPlayer, bodiesOf } from './samples.ts'
import { singleOrders } from './single-orders.ts'
import { linesOf, rounded } from './table.ts'
import {
  type Database,
  EMPTY,
  openTestbed,
  type RunningService,
  type Size,
  type Testbed,
  withService,
} from './testbed.ts'

const BULK_ORDERS = 1_000
/** Of each player. */
const ORDERS_BEFORE = 4
/** Slices of the load; the same number is sent before, uncounted: after half of them, a prediction still took a fifth more than later on. */
const SLICES = 8

type Send = (target: Target) => Promise<unknown>

/** What is sent to a fresh start. */
type Row = Readonly<{
  about: string
  figures: readonly string[]
  /** About how many requests or records are answered a second on two cores. */
  perSecond: Readonly<Record<Database, number>>
  /** The number sent is a multiple of this. */
  step: number
  isOnEmptyData?: true
  /** What each fresh start is sent before, uncounted. */
  setUp?: (service: RunningService, size: Size) => Promise<void>
  /** Prepares the given number of requests or records of a slice, for the figure at this place. */
  prepare: (count: number, slice: number, size: Size, place: number) => Send
}>

const ROWS: Readonly<Record<string, Row>> = {
  predictions: {
    about: 'predictions, the answers short',
    figures: ['predictions'],
    perSecond: { postgres: 8_000, embedded: 8_000 },
    step: LOAD_CONNECTIONS,
    prepare: (count, _slice, size) => predictions(count, size, PREDICTIONS_PATH),
  },
  explained: {
    about: 'predictions with ?explain=true',
    figures: ['predictions explained'],
    perSecond: { postgres: 6_000, embedded: 6_000 },
    step: LOAD_CONNECTIONS,
    prepare: (count, _slice, size) => predictions(count, size, `${PREDICTIONS_PATH}?explain=true`),
  },
  redeeming: {
    about: 'predictions of orders that redeem, under a program whose points wait and expire',
    figures: ['predictions that redeem'],
    perSecond: { postgres: 5_000, embedded: 5_000 },
    step: LOAD_CONNECTIONS,
    setUp: givePoints,
    prepare: (count, _slice, size) => predictions(count, size, PREDICTIONS_PATH, redeeming),
  },
  orders: {
    about: 'new orders, one in each request',
    figures: ['orders one by one'],
    perSecond: { postgres: 1_000, embedded: 300 },
    step: LOAD_CONNECTIONS,
    prepare: ordersOneByOne,
  },
  'bulk-orders': {
    about: `new orders, ${BULK_ORDERS} in each request`,
    figures: ['orders in bulk'],
    perSecond: { postgres: 4_000, embedded: 2_000 },
    step: BULK_ORDERS,
    prepare: (count, slice, size) =>
      upserts(ORDERS_PATH, 'inserted', (index) => anOrder(index, size), {
        records: count,
        each: BULK_ORDERS,
        from: slice * count,
      }),
  },
  players: {
    about: `new players, ${REQUEST_RECORDS} in each request, then the same again`,
    figures: ['new players in bulk', 'unchanged players in bulk'],
    perSecond: { postgres: 20_000, embedded: 15_000 },
    step: REQUEST_RECORDS,
    isOnEmptyData: true,
    prepare: (records, slice, _size, place) =>
      upserts(PLAYERS_PATH, place === 0 ? 'inserted' : 'updated', aPlayer, {
        records,
        each: REQUEST_RECORDS,
        from: slice * records,
      }),
  },
}

type Pair = Readonly<{ here: number; there: number }>
/** Microseconds of processor time for each request or record, one pair after the other. */
type Compared = Readonly<{ figure: string; database: Database; count: number; pairs: readonly Pair[] }>

const names = Object.keys(ROWS)
const command = new Command('npm run bench:pairs --')
  .description(
    'Compares this checkout of Laurel with another one: the processor time of the service for each request or record, all threads together. The ratio says how fast this one is: above 1 is faster than the other.',
  )
  .allowExcessArguments(false)
  .requiredOption('--against <directory>', 'another checkout, in which npm ci has run', checkout)
  .option('--pairs <count>', 'pairs of fresh starts for each row', wholeNumber, 10)
  .option(
    '--seconds <number>',
    'how long each load takes on two cores, about; the number of its requests is fixed',
    positive,
    4,
  )
  .option('--records <count>', 'players in the data; products are a tenth', wholeNumber, 20_000)
  .addOption(databaseOption())
  .option('--rows <names>', 'rows, comma-separated (default: all)', rowNames)
  .option('--json <file>', 'write every pair to a file, too')
  .addHelpText('after', `\nRows:\n${names.map((name) => `  ${name.padEnd(15)}${ROWS[name]!.about}`).join('\n')}`)
  .parse()

const {
  against,
  rows = names,
  database,
  json,
  ...options
} = command.opts<{
  against: string
  rows?: readonly string[]
  database: Database | 'both'
  json?: string
  pairs: number
  seconds: number
  records: number
}>()
const head = {
  date: new Date().toISOString().slice(0, 10),
  commit: commitOf(THIS_CHECKOUT),
  against: commitOf(against),
}
const measured: Compared[] = []
const failure = await compareAll().catch((error: Error) => error)
console.log(
  `${head.date}, commit ${head.commit} against ${head.against}, ${machine()}, pairs of fresh starts: ${options.pairs}\n\n${tableOf(measured)}`,
)
if (json !== undefined)
  writeFileSync(json, `${JSON.stringify({ ...head, machine: machine(), ...options, measured }, null, 2)}\n`)
if (failure !== undefined) console.error('A load failed; the figures above were measured before it.', failure)
process.exit(failure === undefined ? 0 : 1)

async function compareAll(): Promise<undefined> {
  const testbed = await openTestbed()
  for (const where of databasesOf(database))
    for (const name of rows) measured.push(...(await compare(testbed, where, ROWS[name]!)))
  await testbed.server.stop()
}

/** Measures each figure of a row in pairs. Which checkout comes first alternates. */
async function compare(testbed: Testbed, database: Database, row: Row): Promise<Compared[]> {
  // Accounts would be made with this checkout's columns, which the other one may not have.
  const size = row.isOnEmptyData ? EMPTY : { ...sizeOf(options.records), accounts: 0 }
  const count = Math.ceil((options.seconds * row.perSecond[database]) / SLICES / row.step) * row.step
  const start = async <T>(checkout: string, use: (service: Target) => Promise<T>) =>
    await withService(testbed, await testbed.filled(database, size, checkout), async (service) => {
      await row.setUp?.(service, size)
      return await use(service)
    })
  const compared = row.figures.map((figure) => ({ figure, database, count: SLICES * count, pairs: [] as Pair[] }))
  for (let pair = 1; pair <= options.pairs; pair += 1) {
    const isHereFirst = pair % 2 === 1
    const [first, second] = isHereFirst ? [THIS_CHECKOUT, against] : [against, THIS_CHECKOUT]
    const both = await start(first, (one) => start(second, (other) => microsecondsOf([one, other], row, count, size)))
    const [here, there] = (isHereFirst ? both : both.toReversed()) as [number[], number[]]
    for (const [index, { figure, pairs }] of compared.entries()) {
      const both = { here: here[index]!, there: there[index]! }
      pairs.push(both)
      const shown = `${rounded(both.here)} us, the other ${rounded(both.there)} us, ratio ${ratioOf(both).toFixed(2)}`
      logProgress(`${figure}, ${database}, pair ${pair} of ${options.pairs}: ${shown}`)
    }
  }
  return compared
}

/** Warms the services up. Returns for each the microseconds of processor time for each request or record, by figure. */
async function microsecondsOf(
  services: readonly Target[],
  { figures, prepare }: Row,
  count: number,
  size: Size,
): Promise<number[][]> {
  const seconds = services.map(() => figures.map(() => 0))
  for (let slice = 0; slice < 2 * SLICES; slice += 1) {
    const isCounted = slice >= SLICES
    for (const place of figures.keys()) {
      const send = prepare(count, slice, size, place)
      const inTurn = [...services.entries()]
      for (const [index, service] of slice % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const before = await processorSecondsOf(service.url)
        await send(service)
        const taken = (await processorSecondsOf(service.url)) - before
        if (isCounted) seconds[index]![place]! += taken
      }
    }
  }
  return seconds.map((ofFigures) => ofFigures.map((taken) => (taken * 1e6) / (SLICES * count)))
}

function predictions(count: number, size: Size, path: string, as?: OrderMaker): Send {
  return (target) => sendEach(target, predictionsOf(size, path, as), count / LOAD_CONNECTIONS)
}

/** Records orders of the players whom predictions ask about, then publishes a program under which their points pay. */
async function givePoints(service: RunningService, size: Size): Promise<void> {
  const often = askedOften(size)
  const order = (index: number) => ({ ...anOrder(index % often, size), order_id: `past-${index}` })
  const bodies = bodiesOf(order, { records: ORDERS_BEFORE * often, each: BULK_ORDERS })
  await sendAll(service, ORDERS_PATH, { bodies, connections: 2 })
  await publish(service)
}

function ordersOneByOne(count: number, slice: number, size: Size): Send {
  return (target) => {
    let sent = slice * count
    return sendEach(
      target,
      singleOrders(() => sent++, size),
      count / LOAD_CONNECTIONS,
    )
  }
}

function upserts(path: string, verdict: 'inserted' | 'updated', ...[record, sent]: Parameters<typeof bodiesOf>): Send {
  const bodies = bodiesOf(record, sent)
  return (target) => upsertRate(target, path, { bodies, verdict })
}

function tableOf(figures: readonly Compared[]): string {
  const columns = ['figure', 'database', 'this', 'the other', 'ratio', 'of pairs', 'quartiles', 'smallest and largest']
  const cells = figures.map(({ figure, database, pairs }) => {
    const medians = { here: median(pairs.map(({ here }) => here)), there: median(pairs.map(({ there }) => there)) }
    const ratio = (share: number) => quantile(pairs.map(ratioOf), share).toFixed(2)
    const ratios = [ratioOf(medians).toFixed(2), ratio(0.5), `${ratio(0.25)} to ${ratio(0.75)}`]
    return [
      figure,
      database,
      `${rounded(medians.here)} us`,
      `${rounded(medians.there)} us`,
      ...ratios,
      `${ratio(0)} to ${ratio(1)}`,
    ]
  })
  return linesOf([columns, ...cells])
}

/** How fast this checkout is, in multiples of the other one. */
function ratioOf({ here, there }: Pair): number {
  return there / here
}

function checkout(text: string): string {
  const directory = resolve(text)
  if (!existsSync(join(directory, 'src/cli/main.ts')))
    throw new InvalidArgumentError('There is no Laurel: src/cli/main.ts is missing.')
  if (!existsSync(join(directory, 'node_modules'))) throw new InvalidArgumentError('Run npm ci in it.')
  return directory
}

function rowNames(text: string): string[] {
  const named = text.split(',')
  const unknown = named.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`Rows are ${names.join(', ')}.`)
  return named
}
