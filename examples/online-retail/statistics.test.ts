/*
 * The statistics of the real orders, by day and by rule, against a naive count of the file.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { forEachService } from '../../test/support/test-app.ts'
import { openCsv, readInvoices } from './invoices.ts'
import { toPlayers, toProducts } from './records.ts'
import { type OrderState, toStates } from './states.ts'

const EXTRACT = new URL('./extract/online-retail-extract.csv', import.meta.url)
const ZONE = 'Europe/London'
const PROGRAM = `name: Days and rules
time-zone: ${ZONE}
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }, { name: Silver, from: 500 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 10 } }
  - { name: basket, when: order.lines.size() >= 3, fixed: { points: 10 } }
`
const SPAN = 'from=2010-12-01&to=2011-12-31'
const STATES_AT_ONCE = 40

const invoices = await readInvoices(openCsv(EXTRACT.pathname))
const { states } = toStates(invoices)

const dayOf = (at: string) => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(new Date(at))

/** What each rule gives, in tenths of points. */
function earnedBy({ total_amount, products, status }: OrderState['order']): { base: number; basket: number } {
  if (status === 'cancelled') return { base: 0, basket: 0 }
  return { base: Number(total_amount), basket: products.length >= 3 ? 100 : 0 }
}

/** Tenths of points and the number of orders, by day and measure. */
function plainLines(): Map<string, [tenths: number, n: number]> {
  const lines = new Map<string, [number, number]>()
  const points = new Map<string, number>()
  for (const { why, order } of states) {
    const add = (what: string, tenths: number) => {
      const name = `${dayOf(order.ordered_at)} ${what}`
      const [sum, n] = lines.get(name) ?? [0, 0]
      lines.set(name, [sum + tenths, n + 1])
    }
    const { base, basket } = earnedBy(order)
    const earned = Math.floor((base + basket) / 10) * 10
    if (why === 'placed') {
      add('orders', earned)
      if (earned === 0) add(`nothing ${base === 0 ? 'nothing-paid' : 'rounded-away'}`, 0)
      if (base > 0) add('rule base', base)
      if (basket > 0) add('rule basket', basket)
      if (earned !== base + basket) add('rounding', earned - base - basket)
    } else if (earned !== points.get(order.order_id)) add('later', earned - points.get(order.order_id)!)
    add(`revisions ${why === 'reduced' ? 'changed' : why}`, 0)
    points.set(order.order_id, earned)
  }
  return lines
}

forEachService((openTestApp) => {
  test('the statistics by day and by rule match the file', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2012-01-01T12:00:00Z') })
    const published = await app.ask('POST', '/api/admin/programs', {
      body: { data: { source: PROGRAM, from: '2010-01-01T00:00:00Z' } },
    })
    assert.equal(published.status, 200, published.text)
    await app.upsertProducts(toProducts(invoices))
    await app.upsertPlayers(toPlayers(invoices))
    for (let first = 0; first < states.length; first += STATES_AT_ONCE) {
      // A state undone later in the same request is no revision, so each request has an order at most once.
      const groups = Map.groupBy(states.slice(first, first + STATES_AT_ONCE), ({ order }) => order.order_id)
      for (let place = 0; place < Math.max(...[...groups.values()].map(({ length }) => length)); place += 1) {
        const orders = [...groups.values()].flatMap((group) => group[place]?.order ?? [])
        const { status, text } = await app.record(orders)
        assert.equal(status, 200, text)
      }
    }
    const ask = async (what: string, per: string) => {
      const { status, text, body } = await app.ask('GET', `/api/admin/statistics/${what}?${SPAN}&per=${per}`)
      assert.equal(status, 200, text)
      return body.lines as readonly { day: string; measure: string; key: string; n: number; points: string }[]
    }
    const found = [...(await ask('rules', 'day')), ...(await ask('orders', 'day'))]
    const expected = plainLines()
    assert(expected.size > 100, 'the file yields too few lines')
    const named = found.map(({ day, measure, key, n, points }) => [
      `${day} ${measure} ${key}`.trim(),
      [Math.round(Number(points) * 10), n],
    ])
    assert.deepEqual(
      named.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      [...expected].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
    const sumOf = (lines: readonly { points: string }[]) =>
      Math.round(lines.reduce((sum, { points }) => sum + Number(points) * 10, 0)) / 10
    const [balance] = await app.query('select sum(points)::int as points from accounts')
    assert.equal(sumOf(await ask('rules', 'span')), balance!.points, 'rules, rounding and changes are all there is')
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
  })
})
