import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openCsv, readInvoices } from './invoices.ts'
import { type OrderState, toStates } from './states.ts'

const HELP = `Usage: node examples/online-retail/replay.ts INPUT.csv[.gz] [options]

Sends every order of the data to a running service as the shop would have: day by day, each new, reduced or cancelled order when it came.
Each is predicted just before it is recorded, and the prediction is held against what is then recorded.
Load the products and players first, into a database without orders. The program's levels must count for a lifetime.

  --url URL          URL of the service (default: http://127.0.0.1:8080)
  --token-file FILE  file of the token (default: data/token)
  --decimals N       decimal places of an order's total_amount, as for convert.ts (default: 0)
  --to DAY           only orders before this date (YYYY-MM-DD, UTC)
  --a-second N       maximum orders per second, 1 to 1000 (default: no limit)
  --help             this text
`
const REQUEST_TIMEOUT_MS = 30_000

/** The two operations that the replay needs, with the parts of their answers that it reads. */
export interface ReplayedService {
  /** With ?explain=true. */
  predict(order: object): Promise<{ total_points: number; explanation: { level: { counted: number } } }>
  /** With ?details=true. */
  record(orders: readonly object[]): Promise<{ inserted: number; updated: number; skipped: number }>
}

export interface Tally {
  readonly days: number
  readonly placed: number
  readonly reduced: number
  readonly cancelled: number
  /** Predictions that differ from what was then recorded. */
  readonly differences: readonly string[]
  /** The points that each customer has, according to the service. */
  readonly balances: ReadonlyMap<string, number>
}

/**
 * Replays the states one after the other: predicts each, records it, and reads the account. The account must then be what the
 * prediction announced, and the previous account plus the points that the order earns now, less those that it earned so far.
 */
export async function replay(
  states: readonly OrderState[],
  service: ReplayedService,
  onDay: (day: string, tally: Tally) => void = () => undefined,
): Promise<Tally> {
  const earned = new Map<string, number>()
  const balances = new Map<string, number>()
  const differences: string[] = []
  const tally = { days: 0, placed: 0, reduced: 0, cancelled: 0, differences, balances }
  let today = ''
  for (const { at, why, order } of states) {
    const day = at.slice(0, 10)
    if (day !== today) {
      if (today !== '') onDay(today, tally)
      today = day
      tally.days += 1
    }
    const { order_id: id, user_id: customer } = order
    const predicted = await service.predict(order)
    const { inserted, updated, skipped } = await service.record([order])
    const expected = (balances.get(customer) ?? 0) + predicted.total_points - (earned.get(id) ?? 0)
    const recorded = await balanceOf(service, order)
    const verdict = why === 'placed' ? inserted : updated
    if (verdict !== 1 || skipped !== 0 || recorded !== expected || recorded !== predicted.explanation.level.counted) {
      differences.push(
        `${id}, ${why} at ${at}: predicted ${predicted.total_points} points and ${expected} in all, recorded ${recorded}`,
      )
    }
    tally[why] += 1
    earned.set(id, predicted.total_points)
    balances.set(customer, recorded)
  }
  if (today !== '') onDay(today, tally)
  return tally
}

/** A customer's points: what the prediction of an order that is worth nothing shows. */
async function balanceOf(service: ReplayedService, order: OrderState['order']): Promise<number> {
  const { ordered_at: _, ...now } = order
  const worthNothing = { ...now, status: 'cancelled', products: [], order_id: `nothing of ${order.user_id}` }
  return (await service.predict(worthNothing)).explanation.level.counted
}

function serviceAt(url: string, token: string): ReplayedService {
  const ask = async (path: string, data: unknown) => {
    const response = await fetch(`${url.replace(/\/$/, '')}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', token },
      body: JSON.stringify({ data }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`the service answered ${response.status} ${text}`)
    return JSON.parse(text)
  }
  return {
    predict: (order) => ask('predictions/orders?explain=true', order),
    record: async (orders) => {
      const answer = await ask('integration/orders?details=true', orders)
      const [refused] = answer.results
      if (refused?.verdict === 'invalid') throw new Error(`an order was skipped: ${refused.path}: ${refused.error}`)
      return answer
    },
  }
}

/** A client of the service that records each order in turn, at a limited rate. */
function atMost(aSecond: number, service: ReplayedService): ReplayedService {
  let turn = performance.now()
  const record: ReplayedService['record'] = async (orders) => {
    await sleep(Math.max(0, turn - performance.now()))
    turn = Math.max(turn, performance.now()) + 1_000 / aSecond
    return await service.record(orders)
  }
  return { ...service, record }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      'token-file': { type: 'string', default: 'data/token' },
      decimals: { type: 'string', default: '0' },
      to: { type: 'string' },
      'a-second': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const [input] = positionals
  if (input === undefined || positionals.length > 1) throw new Error('expected an input file (see --help)')
  if (!/^[0-4]$/.test(values.decimals)) throw new Error(`--decimals is "${values.decimals}", expected 0 to 4`)
  const { to } = values
  if (to !== undefined && !/^\d{4}-\d\d-\d\d$/.test(to)) throw new Error(`--to is "${to}", expected a date YYYY-MM-DD`)
  const aSecond = values['a-second']
  if (aSecond !== undefined && !/^([1-9]\d{0,2}|1000)$/.test(aSecond))
    throw new Error(`--a-second is "${aSecond}", expected 1 to 1000`)
  const token = (await readFile(values['token-file'], 'utf8')).trim()
  const invoices = (await readInvoices(openCsv(input))).filter(({ at }) => to === undefined || at < to)
  const { states, matches } = toStates(invoices, { decimals: Number(values.decimals) })
  const startedAt = performance.now()
  const service = serviceAt(values.url, token)
  const paced = aSecond === undefined ? service : atMost(Number(aSecond), service)
  const tally = await replay(states, paced, (day, { placed, reduced, cancelled }) => {
    const done = placed + reduced + cancelled
    if (process.stderr.isTTY) process.stderr.write(`\r${day}  ${done} of ${states.length}`)
  })
  if (process.stderr.isTTY) process.stderr.write('\n')
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const { days, placed, reduced, cancelled, differences, balances } = tally
  const sum = [...balances.values()].reduce((total, points) => total + points, 0)
  const lines = [
    ...differences.map((text) => `DIFFERS  ${text}`),
    `${days} days, ${states.length} states: ${placed} new orders, ${reduced} reduced, ${cancelled} cancelled`,
    `${matches.lines} lines of cancellations: ${matches.full} found in orders, ${matches.part} in part, ${matches.none} not`,
    `${states.length} predictions, ${states.length - differences.length} came true`,
    `${balances.size} customers with ${sum} points`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  process.stderr.write(`in ${seconds} s\n`)
  if (differences.length > 0) process.exitCode = 1
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    // fetch reports only "fetch failed"; the reason is in its cause.
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    process.stderr.write(`replay: ${error instanceof Error ? error.message : String(error)}${cause}\n`)
    process.exitCode = 1
  }
}
