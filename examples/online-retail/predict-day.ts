import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { OrderRecord } from './records.ts'

const HELP = `Usage: node examples/online-retail/predict-day.ts ORDERS.ndjson DAY [options]

Predicts every order of one day (YYYY-MM-DD, UTC), or of one month (YYYY-MM), and prints what each would earn. Nothing is recorded.

  --url URL          URL of the service (default: http://127.0.0.1:8080)
  --token-file FILE  file of the token (default: data/token)
  --concurrency N    concurrent requests, 1 to 64 (default: 8)
  --help             this text
`
const REQUEST_TIMEOUT_MS = 30_000

interface Outcome {
  readonly order: OrderRecord
  readonly points: number | undefined
  readonly message: string
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      'token-file': { type: 'string', default: 'data/token' },
      concurrency: { type: 'string', default: '8' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const [file, day] = positionals
  if (file === undefined || day === undefined || !/^\d{4}-\d\d(-\d\d)?$/.test(day)) {
    throw new Error('expected a file of orders and a date YYYY-MM-DD, or a month YYYY-MM (see --help)')
  }
  const concurrency = Number(values.concurrency)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
    throw new Error(`--concurrency is "${values.concurrency}", expected 1 to 64`)
  }
  const url = `${values.url.replace(/\/$/, '')}/api/predictions/orders`
  const token = (await readFile(values['token-file'], 'utf8')).trim()
  const orders = await readDay(file, day)
  if (orders.length === 0) throw new Error(`${file} has no order of ${day}`)
  const outcomes = await inParallel(orders, concurrency, (order) => predict(order, { url, token }))
  process.stdout.write(`${table(outcomes).join('\n')}\n`)
  if (outcomes.some((outcome) => outcome.points === undefined)) process.exitCode = 1
}

async function readDay(file: string, day: string): Promise<OrderRecord[]> {
  const orders: OrderRecord[] = []
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) {
    if (line === '') continue
    const order = JSON.parse(line) as OrderRecord
    if (order.ordered_at.startsWith(day)) orders.push(order)
  }
  return orders
}

async function predict(order: OrderRecord, service: { url: string; token: string }): Promise<Outcome> {
  const response = await fetch(service.url, {
    // The contract's method is GET with a body, which fetch refuses to send; POST on the same path does the same.
    method: 'POST',
    headers: { 'content-type': 'application/json', token: service.token },
    body: JSON.stringify({ data: order }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  const text = await response.text()
  if (response.status === 401) throw new Error(`the service does not accept the token: ${text}`)
  if (!response.ok) return { order, points: undefined, message: `${response.status} ${text}` }
  const answer = JSON.parse(text) as { total_points: number; message: string }
  return { order, points: answer.total_points, message: answer.message }
}

/** Processes the items with bounded concurrency. The results keep the order of the items. */
async function inParallel<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const answers = new Array<R>(items.length)
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) answers[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return answers
}

function table(outcomes: readonly Outcome[]): string[] {
  const rows = outcomes.map(({ order, points, message }) => [
    order.order_id,
    order.user_id,
    order.total_amount,
    points === undefined ? '-' : String(points),
    message,
  ])
  const cells = [['order', 'player', 'amount', 'points', 'message'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map(([order = '', player = '', amount = '', points = '', message = '']) =>
    [
      order.padEnd(widths[0] ?? 0),
      player.padEnd(widths[1] ?? 0),
      amount.padStart(widths[2] ?? 0),
      points.padStart(widths[3] ?? 0),
      message,
    ].join('  '),
  )
  const failed = outcomes.filter((outcome) => outcome.points === undefined).length
  const total = outcomes.reduce((sum, outcome) => sum + (outcome.points ?? 0), 0)
  return [...lines, '', `${outcomes.length} orders, ${total} points${failed === 0 ? '' : `, ${failed} refused`}`]
}

try {
  await main()
} catch (error) {
  // fetch reports only "fetch failed"; the reason is in its cause.
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  process.stderr.write(`predict-day: ${error instanceof Error ? error.message : String(error)}${cause}\n`)
  process.exitCode = 1
}
