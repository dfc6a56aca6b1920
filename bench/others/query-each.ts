/*
 * Predictions as they are usually written, and written well: Fastify and one query for each request, prepared, over a pool of connections.
 * It reads the player and the products of the order, and computes points and level as the starter program does. No token.
 */
import fastify from 'fastify'
import pg from 'pg'
import { levelAt } from './levels.ts'

type Order = Readonly<{
  user_id: string
  total_amount: string
  discount: string
  products: readonly Readonly<{ product_sku_id: string; amount?: string; qty: string }>[]
}>

const READ = {
  name: 'inputs',
  text: `select a.points, p.sku, p.price from players left join accounts a using (user_id) left join products p on p.sku = any($2)
    where user_id = $1`,
}

const wholeNumber = { type: 'string', pattern: '^\\d{1,15}$' }
const decimal = { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,4})?$' }
const someText = { type: 'string', minLength: 1, maxLength: 200 }
const body = {
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['name', 'email', 'order_id', 'user_id', 'refferral_code', 'total_amount', 'discount', 'products'],
      properties: {
        name: someText,
        email: someText,
        order_id: someText,
        user_id: someText,
        refferral_code: { type: 'string' },
        total_amount: wholeNumber,
        discount: wholeNumber,
        total_qty: wholeNumber,
        products: {
          type: 'array',
          maxItems: 1_000,
          items: { type: 'object', properties: { product_sku_id: someText, amount: decimal, qty: decimal } },
        },
      },
    },
  },
}
const answer = { type: 'object', properties: { message: { type: 'string' }, total_points: { type: 'integer' } } }

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = fastify()
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
app.route<{ Body: { data: Order } }>({
  method: 'GET',
  url: '/api/predictions/orders',
  exposeHeadRoute: false,
  schema: { body, response: { 200: answer } },
  handler: async (request) => {
    const { user_id: userId, total_amount: total, discount, products } = request.body.data
    const { rows } = await pool.query({ ...READ, values: [userId, products.map((line) => line.product_sku_id)] })
    const prices = new Map(rows.map(({ sku, price }) => [sku as string, Number(price)]))
    const unknown = products.filter((line) => !prices.has(line.product_sku_id)).length
    const held = Number(rows[0]?.points ?? 0)
    const points = Math.floor(Math.max(0, Number(total) - Number(discount)) / 10)
    const [before, after] = [levelAt(held), levelAt(held + points)]
    const outcome = before === after ? `stay at ${after}` : `be upgraded to ${after}`
    const note = unknown === 0 ? '' : ` ${unknown} products are unknown.`
    return { message: `You will earn ${points} points and ${outcome}.${note}`, total_points: points }
  },
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
