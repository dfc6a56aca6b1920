/*
 * Orders as a shop's own team would record points for them, and written well: Fastify, a rules engine with ten rules, one prepared query and one
 * prepared write for each request. It reads the player and the products, and keeps the order with its points, and the balance. No ledger, no reasons,
 * no token. Its tables have a schema of their own, so that it does not gain from what changes in ours.
 */
import fastify from 'fastify'
import { Engine, type RuleProperties } from 'json-rules-engine'
import pg from 'pg'
import { levelAt } from './levels.ts'

type Order = Readonly<{
  order_id: string
  user_id: string
  total_amount: string
  discount: string
  total_qty: string
  products: readonly Readonly<{ product_sku_id: string; amount: string; qty: string }>[]
}>

const READ = {
  name: 'inputs',
  text: `select country, date_of_birth, a.points, p.sku, p.price
    from players left join own.accounts a using (user_id) left join products p on p.sku = any($2) where user_id = $1`,
}
const WRITE = {
  name: 'write',
  text: `with recorded as (
      insert into own.orders (order_id, user_id, content, points, recorded_at) values ($1, $2, $3, $4, now())
    )
    insert into own.accounts as a (user_id, points, orders) values ($2, $4, 1)
    on conflict (user_id) do update set points = a.points + excluded.points, orders = a.orders + 1`,
}

/** The points that a rule gives: some for each of so many of a fact, or as many as it says. */
type Given = Readonly<{ points: number; every?: number; of?: string }>

const when = (type: string, given: Given, ...conditions: [fact: string, operator: string, value: unknown][]) => ({
  conditions: { all: conditions.map(([fact, operator, value]) => ({ fact, operator, value })) },
  event: { type, params: given },
})
const always: [string, string, unknown] = ['net', 'greaterThanInclusive', 0]

const RULES: RuleProperties[] = [
  when('base', { points: 1, every: 10, of: 'net' }, always),
  when('hundreds', { points: 2, every: 100, of: 'total' }, always),
  when('units', { points: 1, every: 2, of: 'qty' }, always),
  when('listed', { points: 1, every: 30, of: 'listed' }, always),
  when('tea', { points: 5 }, ['skus', 'someFact:startsWith', 'TEA-']),
  when('dear', { points: 10 }, ['amounts', 'someFact:greaterThan', 500]),
  when('basket', { points: 100 }, ['net', 'greaterThanInclusive', 1000], ['qty', 'greaterThanInclusive', 6]),
  when('gold', { points: 1, every: 20, of: 'net' }, ['level', 'in', ['Gold', 'Platinum']]),
  when('young', { points: 20 }, ['born', 'greaterThan', '1996-01-01'], ['country', 'equal', 'India']),
  when('welcome', { points: 50 }, ['held', 'equal', 0]),
]

const engine = new Engine(RULES)
engine.addOperator('startsWith', (text: string, start: string) => text.startsWith(start))
engine.addOperator('greaterThan', (value: string | number, bound: string | number) => value > bound)

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
pool.on('error', () => undefined) // The database may stop before this process does.
await pool.query(`create schema own
  create table orders (order_id text primary key, user_id text not null, content jsonb not null, points bigint not null, recorded_at timestamptz not null)
  create table accounts (user_id text primary key, points bigint not null, orders bigint not null)`)

const someText = { type: 'string', minLength: 1, maxLength: 200 }
const decimal = { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,4})?$' }
const order = {
  type: 'object',
  required: ['name', 'email', 'order_id', 'user_id', 'refferral_code', 'total_amount', 'discount', 'products'],
  properties: {
    ...{ name: someText, email: someText, order_id: someText, user_id: someText, refferral_code: { type: 'string' } },
    ...{ total_amount: decimal, discount: decimal, total_qty: decimal },
    products: {
      type: 'array',
      maxItems: 1_000,
      items: { type: 'object', properties: { product_sku_id: someText, amount: decimal, qty: decimal } },
    },
  },
}
const body = {
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'array', minItems: 1, maxItems: 1, items: order } },
}
const answer = { type: 'object', properties: { inserted: { type: 'integer' }, total_points: { type: 'integer' } } }

const app = fastify()
app.post<{ Body: { data: [Order] } }>(
  '/api/integration/orders',
  { schema: { body, response: { 200: answer } } },
  async ({ body }) => {
    const [sent] = body.data
    const { order_id: id, user_id: userId, products } = sent
    const { rows } = await pool.query({ ...READ, values: [userId, products.map((line) => line.product_sku_id)] })
    const prices = new Map(rows.map(({ sku, price }) => [sku as string, Number(price)]))
    const held = Number(rows[0]?.points ?? 0)
    const facts: Record<string, unknown> = {
      net: Math.max(0, Number(sent.total_amount) - Number(sent.discount)),
      total: Number(sent.total_amount),
      qty: Number(sent.total_qty),
      listed: products.reduce((sum, line) => sum + (prices.get(line.product_sku_id) ?? 0) * Number(line.qty), 0),
      skus: products.map((line) => line.product_sku_id),
      amounts: products.map((line) => Number(line.amount)),
      level: levelAt(held),
      born: String(rows[0]?.date_of_birth ?? ''),
      country: String(rows[0]?.country ?? ''),
      held,
    }
    const { events } = await engine.run(facts)
    const points = events.reduce((sum, { params }) => {
      const { points, every, of } = params as Given
      return sum + (every === undefined ? points : points * Math.floor(Number(facts[of!]) / every))
    }, 0)
    await pool.query({ ...WRITE, values: [id, userId, JSON.stringify(sent), points] })
    return { inserted: 1, total_points: points }
  },
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
