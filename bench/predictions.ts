/*
 * Predictions a second at 64 connections, beside a bare Fastify route with the same body and answer: no database, no token.
 * The load comes from this process; service and floor run in processes of their own.
 */
import { spawn } from 'node:child_process'
import autocannon from 'autocannon'
import { aFigure, alternate, aPlayer, type Database, type Figure, post, startService } from './support.ts'

const CONNECTIONS = 64
const PLAYERS = 20_000
const PRODUCTS = 2_000
const SECONDS = 5
const DISTINCT_ORDERS = 500

export async function measurePredictions(
  database: Database,
  newDatabase: () => Promise<string>,
  { runs }: { runs: number },
): Promise<Figure[]> {
  const service = await startService(database === 'postgres' ? await newDatabase() : undefined)
  const bare = await startBare()
  try {
    for (let from = 0; from < PLAYERS; from += 5_000) {
      await post(
        service,
        '/api/integration/players',
        JSON.stringify({ data: Array.from({ length: 5_000 }, (_, index) => aPlayer(from + index)) }),
      )
    }
    const products = Array.from({ length: PRODUCTS }, (_, index) => ({
      product_sku_id: `sku-${index}`,
      amount: `${10 + (index % 90)}.50`,
    }))
    await post(service, '/api/integration/products', JSON.stringify({ data: products }))
    const p99: number[] = []
    const { floor, ours } = await alternate(
      runs,
      async () => (await load(bare.url, '')).perSecond,
      async () => {
        const measured = await load(service.url, service.token)
        p99.push(measured.p99)
        return measured.perSecond
      },
    )
    const latest = p99.sort((a, b) => a - b)[Math.floor(p99.length / 2)]
    const note = `${CONNECTIONS} connections, ${PLAYERS} players, ${PRODUCTS} products, three lines an order; p99 ${latest} ms; floor: bare Fastify route`
    return [aFigure({ figure: 'predictions', database, unit: 'requests/s', floor, ours, note })]
  } finally {
    bare.stop()
    await service.stop()
  }
}

async function load(url: string, token: string): Promise<{ perSecond: number; p99: number }> {
  const requests = Array.from({ length: DISTINCT_ORDERS }, (_, index) => ({
    method: 'GET' as const,
    path: '/api/predictions/orders',
    headers: { 'content-type': 'application/json', token },
    body: JSON.stringify({ data: anOrder(index * 37) }),
  }))
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, requests })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers other than 200, ${result.errors} errors`)
  return { perSecond: result.requests.average, p99: result.latency.p99 }
}

function anOrder(index: number) {
  const line = (step: number) => ({ product_sku_id: `sku-${(index * step) % PRODUCTS}`, amount: '25.50', qty: '2' })
  const { User_id, Name, Email } = aPlayer(index % PLAYERS)
  return {
    name: Name,
    email: Email,
    order_id: `order-${index}`,
    user_id: User_id,
    refferral_code: '',
    total_amount: '1234',
    discount: '34',
    total_qty: '6',
    products: [line(1), line(7), line(13)],
  }
}

const BARE = `
import fastify from 'fastify'
const app = fastify()
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
const schema = {
  body: { type: 'object', properties: { data: { type: 'object', additionalProperties: true } } },
  response: { 200: { type: 'object', properties: { message: { type: 'string' }, total_points: { type: 'integer' } } } },
}
app.route({ method: 'GET', url: '/api/predictions/orders', exposeHeadRoute: false, schema, handler: async () => ({ message: 'You will earn 120 points and stay at Bronze.', total_points: 120 }) })
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
`

async function startBare(): Promise<{ url: string; stop: () => void }> {
  const cwd = new URL('..', import.meta.url).pathname
  const child = spawn(process.execPath, ['--input-type=module', '--eval', BARE], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  )
  return { url, stop: () => child.kill() }
}
