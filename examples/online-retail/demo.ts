/*
 * `npm run demo`: a service with a directory of its own in which something has happened. The orders are those of the extract, on the days
 * up to yesterday; what the data does not have (corrections, refused records, a second program) is made up and says so.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SingleBar } from 'cli-progress'
import { openCsv, readInvoices } from './invoices.ts'
import { type PlayerRecord, type ProductRecord, toPlayers, toProducts } from './records.ts'
import { type OrderState, toStates } from './states.ts'

const HELP = `npm run demo [-- options]

Starts Laurel on a directory of its own, with the orders of a real shop in it: ${'examples/online-retail'}.
The first time it fills the directory, which takes a minute; afterwards it starts at once.

  --data DIR   the directory (default: data-demo)
  --port N     the port (default: PORT, else 8080)
  --fill-only  fill the directory, and end
  --help       this text
`
const HERE = import.meta.dirname
const PROJECT = join(HERE, '../..')
const NODE = join(PROJECT, 'node_modules/.bin/node')
/** Written when the directory has everything. */
const FILLED = 'demo-filled'
const START_TIMEOUT_MS = 120_000
const DAY_MS = 86_400_000
/** Every so many orders, the customer was asked about fewer lines than were ordered in the end. */
const CHANGED_EACH = 29
/** Products that the shop forgot to send. */
const FORGOTTEN = 3
const COMPARED_LOOKS_MAX = 60

type Post = (path: string, data: unknown) => Promise<unknown>
type StatisticsLines = Readonly<{ lines: readonly Readonly<{ measure: string; n: number }>[] }>

/** Each day with orders becomes one of the days up to yesterday, so that nine months fill a quarter. The time of day stays. */
export function onDaysUntil(yesterday: string, states: readonly OrderState[]): OrderState[] {
  const days = [...new Set(states.map(({ at }) => at.slice(0, 10)))].sort()
  const last = Date.parse(`${yesterday}T00:00:00Z`)
  const dayOf = new Map(
    days.map((day, index) => [day, new Date(last - (days.length - 1 - index) * DAY_MS).toISOString().slice(0, 10)]),
  )
  const moved = (moment: string) => `${dayOf.get(moment.slice(0, 10))!}${moment.slice(10)}`
  return states.map((state) => {
    const { at, order } = state
    return { ...state, at: moved(at), order: { ...order, ordered_at: moved(order.ordered_at) } }
  })
}

/**
 * Fills an empty service as a shop and its till would have: products and players, then each order, predicted before it is recorded.
 * `admin` is a token for everything.
 */
export async function fillWithDemo(url: string, admin: string): Promise<void> {
  const invoices = await readInvoices(openCsv(join(HERE, 'extract/online-retail-extract.csv')))
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  const states = onDaysUntil(yesterday, toStates(invoices).states)
  const asAdmin = poster(url, admin)
  const tokenOf = async (name: string, scopes: string[]) =>
    ((await asAdmin('admin/tokens', { name, scopes })) as { token: string }).token
  const shop = poster(url, await tokenOf('shop', ['players', 'products']))
  const till = poster(url, await tokenOf('till', ['predict', 'orders']))

  await asAdmin('admin/programs', {
    source: readFileSync(join(HERE, 'club.yaml'), 'utf8'),
    from: `${states[Math.floor(states.length / 2)]!.at.slice(0, 10)}T00:00:00Z`,
    note: 'a little less for each pound, more for those who come back',
  })
  await shop('integration/products', toProducts(invoices).slice(FORGOTTEN))
  await shop('integration/players', withRefused(toPlayers(invoices)))

  const bar = new SingleBar({ format: '{bar} {value} of {total} orders', clearOnComplete: true })
  bar.start(states.length, 0)
  for (const [index, { order }] of states.entries()) {
    const asked = index % CHANGED_EACH === CHANGED_EACH - 1 ? { ...order, total_amount: '1', products: [] } : order
    await till('predictions/orders', asked)
    await till('integration/orders', [order])
    bar.update(index + 1)
  }
  bar.stop()
  await shop('integration/products', withRefusedPrice(toProducts(invoices).slice(FORGOTTEN, FORGOTTEN + 40)))
  await correct(asAdmin, states)
  await untilCompared(url, admin, new Set(states.map(({ order }) => order.order_id)).size)
}

/** Records as they go wrong: the service tells which fields it refused, and never what stood in them. */
function withRefused(players: readonly PlayerRecord[]): object[] {
  const [one, two, three] = players as [PlayerRecord, PlayerRecord, PlayerRecord]
  return [
    ...players,
    { ...one, User_id: 'made-up-1', DOB: '31-02-1980' },
    { ...two, User_id: 'made-up-2', Pincode: 'SW1A 1AA' },
    { ...three, User_id: 'made-up-3', DOB: '1980' },
  ]
}

function withRefusedPrice(products: readonly ProductRecord[]): ProductRecord[] {
  return products.map((product, index) => (index === 0 ? { ...product, amount: '-1' } : product))
}

/** Corrections by people: points as an apology, and points that were spent at the till. */
async function correct(asAdmin: Post, states: readonly OrderState[]): Promise<void> {
  const customers = [...new Set(states.map(({ order }) => order.user_id))]
  for (const [index, customer] of customers.slice(0, 6).entries())
    await asAdmin(`players/${encodeURIComponent(customer)}/adjustments`, {
      id: `demo-${index}`,
      points: index % 2 === 0 ? 25 : -10,
      counts: false,
      reason: index % 2 === 0 ? 'a parcel came late (made up)' : 'spent at the till (made up)',
    })
}

/** Predictions are held against recordings some seconds later; a service that stops before would never tell. Waits half a minute at most. */
async function untilCompared(url: string, admin: string, orders: number): Promise<void> {
  const route = `${url}/api/admin/statistics/predictions?per=span`
  for (let looks = 0; looks < COMPARED_LOOKS_MAX; looks += 1) {
    const { lines } = (await (await fetch(route, { headers: { token: admin } })).json()) as StatisticsLines
    const compared = lines.filter(({ measure }) => !measure.startsWith('asked-')).reduce((sum, { n }) => sum + n, 0)
    if (compared >= orders) return
    await sleep(500)
  }
}

function poster(url: string, token: string): Post {
  return async (path, data) => {
    const response = await fetch(`${url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', token },
      body: JSON.stringify({ data }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} was answered with ${response.status} ${text}`)
    return JSON.parse(text)
  }
}

/** Starts a service without output, and waits until it is ready. */
async function startQuietly(environment: NodeJS.ProcessEnv, url: string): Promise<{ stop: () => Promise<void> }> {
  const service = spawn(NODE, ['src/cli/main.ts', 'serve'], {
    cwd: PROJECT,
    env: { ...environment, STOP_DELAY_MS: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()))
  await whenReady(service, url)
  return {
    stop: () => {
      service.kill('SIGTERM')
      return ended
    },
  }
}

/** Waits until the service of a process answers. Errors: it has ended, or takes too long. */
export async function whenReady(service: Pick<ChildProcess, 'exitCode'>, url: string): Promise<void> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS
  while (!(await isReady(url))) {
    if (service.exitCode !== null || performance.now() > giveUpAt) throw new Error('the service did not start')
    await sleep(100)
  }
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: 'data-demo' },
      port: { type: 'string', default: process.env.PORT ?? '8080' },
      'fill-only': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const { port } = values
  const data = resolve(values.data)
  const url = `http://127.0.0.1:${port}`
  const { DATABASE_URL: _, ...others } = process.env
  const environment = { ...others, LAUREL_DATA: data, PORT: port }
  if (await isReady(url)) throw new Error(`${url} is already in use: pass another --port`)
  if (!existsSync(join(data, FILLED))) {
    if (existsSync(data)) throw new Error(`${values.data} exists but is incomplete: delete it, or pass another --data`)
    process.stderr.write(`Filling ${values.data} with the orders of a real shop ...\n`)
    const service = await startQuietly(environment, url)
    try {
      await fillWithDemo(url, readFileSync(join(data, 'token'), 'utf8').trim())
    } catch (error) {
      await service.stop()
      rmSync(data, { recursive: true, force: true })
      throw error
    }
    await service.stop()
    writeFileSync(join(data, FILLED), '')
  }
  if (values['fill-only']) return
  const service = spawn(NODE, ['src/cli/main.ts', 'serve'], { cwd: PROJECT, env: environment, stdio: 'inherit' })
  // Ctrl C reaches both: the service decides when it has ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal))
  service.once('exit', (code) => process.exit(code ?? 1))
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
