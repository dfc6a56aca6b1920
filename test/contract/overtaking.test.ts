/*
 * Two services on one database, one of them behind a proxy that holds back what it sends, or cuts its connections at COMMIT. A client gives up
 * what takes too long, sends it again to the other service, and goes on: what was given up must not undo what came after it.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { testDatabase } from '../support/databases.ts'
import { LEAVING_HOST, sendAndLeave } from '../support/leaving-client.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { openTestAppAt, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const HISTORIES = 15
const STEPS_MAX = 12

/** How a state is sent: `given up` at the held service, by closing the connection or behind a proxy that keeps it open, then to the other one. */
const step = fc.record({
  noun: fc.constantFrom('orders', 'players', 'products'),
  way: fc.constantFrom('direct', 'held-closed', 'held-kept', 'cut-before', 'cut-after'),
  hasVersion: fc.boolean(),
  /** Whether what is held goes on right after the other service has answered; mostly it waits for the next state. */
  release: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What was acknowledged last, as the queries of `stored` show it. */
type Expected = Map<string, string>

const FIELDS = {
  orders: (key: string, value: number) => anOrder({ order_id: key, user_id: 'buyer', total_amount: value * 10 }),
  players: (key: string, value: number) => aPlayer({ User_id: key, Name: `Player ${value}` }),
  products: (key: string, value: number) => aProduct({ product_sku_id: key, amount: value }),
} as const
const VERSION = { orders: 'state_version', players: 'State_version', products: 'state_version' } as const
const STORED = `select 'orders ' || order_id as key, (points)::text as value from orders
  union all select 'players ' || user_id, replace(name, 'Player ', '') from players where user_id <> 'buyer'
  union all select 'products ' || sku, trim_scale(price)::text from products`

test('whatever is held back or cut, the last state that was acknowledged stands, and the ledger adds up (decisions 71 and 72)', async (t) => {
  const url = await testDatabase(t)
  const proxy = await startCuttingProxy(url)
  t.after(() => proxy.close())
  const near = await openTestAppAt(t, url)
  const far = await openTestAppAt(t, proxy.url)
  await near.upsertPlayers([aPlayer({ User_id: 'buyer' })])
  let histories = 0
  let [attempts, arrived, acknowledgedFar] = [0, 0, 0]
  far.service.app.server.on('request', ({ headers }) => {
    if (headers.host === LEAVING_HOST) arrived += 1
  })
  const kept: Promise<string>[] = []
  let value = 0

  async function take(prefix: string, { noun, way, hasVersion, release }: Step, expected: Expected) {
    value += 1
    const key = `${prefix}record`
    const path = `/api/integration/${noun}`
    // Behind a proxy that keeps the connection open only a version tells that the state is late.
    const isVersioned = hasVersion || way === 'held-kept'
    const data = [{ ...FIELDS[noun](key, value), ...(isVersioned ? { [VERSION[noun]]: value } : {}) }]
    const acknowledge = async (app: TestApp) => {
      const { status, text } = await app.ask('POST', `${path}?details=true`, { body: { data } })
      assert.equal(status, 200, text)
      expected.set(`${noun} ${key}`, String(value))
    }
    if (way === 'held-closed' || way === 'held-kept') {
      proxy.hold()
      const attempt = sendAndLeave(far, path, data)
      attempts += 1
      await eventually('the attempt has arrived', () => arrived === attempts)
      if (way === 'held-kept') kept.push(attempt.answered.finally(attempt.reset))
      else attempt.finish()
      await acknowledge(near)
      if (release) proxy.release()
      return
    }
    proxy.release()
    if (way === 'direct') return acknowledge(near)
    proxy.cutCommits(way === 'cut-before' ? 'before' : 'after', 1)
    await acknowledge(far)
    acknowledgedFar += 1
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: STEPS_MAX, size: 'max' }), async (steps) => {
      histories += 1
      const prefix = `h${histories}-`
      const expected: Expected = new Map()
      for (const one of steps) await take(prefix, one, expected)
      proxy.release()
      for (const answer of await Promise.all(kept)) assert.match(answer, /^HTTP\/1\.1 200 /)
      const ended = () =>
        far.observations.filter(({ kind }) => kind === 'request-abandoned' || kind === 'batch-upserted')
      await eventually(
        'the attempts of clients that left are over',
        () => ended().length === attempts + acknowledgedFar,
      )
      const stored = await near.query(`select * from (${STORED}) as stored where key like '% ${prefix}%'`)
      assert.deepEqual(new Map(stored.map(({ key, value }) => [key, value])), expected)
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  )
  await checkLedger(near.service.db)
})
