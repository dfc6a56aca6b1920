/*
 * The faults campaign: two services on one database, one of them behind a proxy that holds back what it sends, or cuts its connections at
 * COMMIT. A client abandons requests that take too long, sends them again to the other service, and goes on: an abandoned request must not undo a
 * later one, and nothing may count twice.
 * `npm run campaign:faults -- --histories 500 --seed 7` fails at the first history that violates this.
 */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { testDatabase } from '../support/databases.ts'
import { LEAVING_HOST, sendAndLeave } from '../support/leaving-client.ts'
import { checkLedger } from '../support/ledger-check.ts'
import { openTestAppAt, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'
import { campaignCommand, wholeFrom } from './arguments.ts'

export type FaultsCampaign = Readonly<{ histories: number; seed: number; say: (line: string) => void }>

const STEPS_MAX = 12
const REPORT_EVERY = 100

/** How a state is sent. `held`: first to the held service, which the client abandons by closing the connection or behind a proxy that keeps it open. */
const step = fc.record({
  noun: fc.constantFrom('orders', 'players', 'products', 'adjustments'),
  way: fc.constantFrom('direct', 'held-closed', 'held-kept', 'cut-before', 'cut-after'),
  hasVersion: fc.boolean(),
  /** Whether held traffic is released right after the other service has answered; mostly it waits for the next state. */
  release: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The last acknowledged states, as STORED selects them. */
type Expected = Map<string, string>

/** The record with a value. An adjustment is made once, so each value is a separate one. */
const FIELDS = {
  adjustments: (key: string, value: number) => ({
    user_id: 'buyer',
    id: `${key}-${value}`,
    points: value,
    counts: false,
    reason: 'a fault',
  }),
  orders: (key: string, value: number) => anOrder({ order_id: key, user_id: 'buyer', total_amount: value * 10 }),
  players: (key: string, value: number) => aPlayer({ User_id: key, Name: `Player ${value}` }),
  products: (key: string, value: number) => aProduct({ product_sku_id: key, amount: value }),
} as const
const PATHS = {
  adjustments: '/api/admin/balances',
  orders: '/api/integration/orders',
  players: '/api/integration/players',
  products: '/api/integration/products',
} as const
const VERSION = { orders: 'state_version', players: 'State_version', products: 'state_version' } as const
const STORED = `select 'orders ' || order_id as key, (points)::text as value from orders
  union all select 'players ' || user_id, replace(name, 'Player ', '') from players where user_id <> 'buyer'
  union all select 'products ' || sku, trim_scale(price)::text from products
  union all select 'adjustments ' || adjustment_id, sum(points)::text from entries where kind = 'adjustment' group by 1`

/** Runs histories on a new database. Rejects at the first whose final state does not match its acknowledged requests, or if the ledger does not add up. */
export async function runFaultsCampaign(t: TestContext, { histories, seed, say }: FaultsCampaign): Promise<void> {
  const url = await testDatabase(t)
  const proxy = await startCuttingProxy(url)
  t.after(() => proxy.close())
  const near = await openTestAppAt(t, url)
  const far = await openTestAppAt(t, proxy.url)
  await near.upsertPlayers([aPlayer({ User_id: 'buyer' })])
  let taken = 0
  let [attempts, arrived, acknowledgedFar] = [0, 0, 0]
  far.service.app.server.on('request', ({ headers }) => {
    if (headers.host === LEAVING_HOST) arrived += 1
  })
  const kept: Promise<string>[] = []
  let value = 0

  async function take(prefix: string, { noun, way, hasVersion, release }: Step, expected: Expected) {
    value += 1
    const key = `${prefix}record`
    const path = PATHS[noun]
    // Behind a proxy that keeps the connection open only a version shows that the state is late.
    const isVersioned = hasVersion || way === 'held-kept'
    const version = noun !== 'adjustments' && isVersioned ? { [VERSION[noun]]: value } : {}
    const data = [{ ...FIELDS[noun](key, value), ...version }]
    const acknowledge = async (app: TestApp) => {
      const { status, text } = await app.ask('POST', `${path}?details=true`, { body: { data } })
      assert.equal(status, 200, text)
      expected.set(`${noun} ${key}${noun === 'adjustments' ? `-${value}` : ''}`, String(value))
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
      taken += 1
      const prefix = `h${taken}-`
      const expected: Expected = new Map()
      for (const one of steps) await take(prefix, one, expected)
      proxy.release()
      for (const response of await Promise.all(kept)) assert.match(response, /^HTTP\/1\.1 200 /)
      const ended = () =>
        far.observations.filter(({ kind }) => kind === 'request-abandoned' || kind === 'batch-upserted')
      await eventually(
        'the attempts of disconnected clients are over',
        () => ended().length === attempts + acknowledgedFar,
      )
      const stored = await near.query(`select * from (${STORED}) as stored where key like '% ${prefix}%'`)
      assert.deepEqual(new Map(stored.map(({ key, value }) => [key, value])), expected)
      if (taken % REPORT_EVERY === 0) say(`${taken} histories, ${attempts} attempts abandoned`)
    }),
    { numRuns: histories, seed, endOnFailure: true },
  )
  await checkLedger(near.service.db)
  say(
    `${taken} histories, ${value} states sent, ${attempts} attempts abandoned: no state undone, nothing twice, the ledger adds up`,
  )
}

if (import.meta.main) {
  const { histories, seed } = campaignCommand('faults', 'Delays and cuts the traffic from a service to its database.')
    .option('--histories <count>', 'number of histories', wholeFrom(1), 200)
    .option('--seed <number>', 'the same seed generates the same histories', wholeFrom(0), 1)
    .parse()
    .opts<{ histories: number; seed: number }>()
  test(`${histories} histories, seed ${seed}`, (t) => runFaultsCampaign(t, { histories, seed, say: console.log }))
}
