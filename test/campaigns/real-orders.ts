/*
 * The real-orders campaign: the orders of a real shop, day by day, under a program whose points are pending, expire, and pay a quarter of the
 * orders. Every prediction must come true, and every balance must match a plain count made from the file and the text of the program alone.
 * `npm run campaign:real-orders -- --file FILE.csv.gz --database both` takes any part of the data; without a file the extract.
 */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openCsv, readInvoices } from '../../examples/online-retail/invoices.ts'
import { toPlayers, toProducts } from '../../examples/online-retail/records.ts'
import { type OrderState, toStates } from '../../examples/online-retail/states.ts'
import { reportPoints } from '../../src/resources/points-report/report-points.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { type PlainBalance, type PlainLot, plainBalance, plainDayAfter } from '../support/plain-balance.ts'
import { type OpenTestApp, openServerApp, openTestApp, type TestApp } from '../support/test-app.ts'
import { type CampaignDatabase, campaignCommand, databaseOption } from './arguments.ts'

export type RealOrdersCampaign = Readonly<{ file: string; open: OpenTestApp; say: (line: string) => void }>

export const EXTRACT = fileURLToPath(
  new URL('../../examples/online-retail/extract/online-retail-extract.csv', import.meta.url),
)

/** In Auckland a British afternoon is already the next day, and clocks are put back in April. */
export const WAITS_ENDS_AND_PAYS = `name: Waits, ends and pays
time-zone: Pacific/Auckland
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: [{ name: base, per-amount: { points: 3, every: 1 } }]
points: { pending: { days: 14 }, expire: { after: P3M, at-end-of: month } }
redeem:
  value: { points: 100, pays: 1 }
  step: 100
  least: 200
  at-most: { share: "0.5" }
  given-back: P30D
`
const TRIES_MAX = 10
const AT_ONCE = 16
const START = '2010-11-30T00:00:00.000Z'
/** The last one is after all orders. */
const DATES = ['2011-01-15', '2011-03-31', '2011-05-20', '2011-08-31', '2011-12-31'] as const

/** Rejects at the first prediction that does not come true, and at the first balance that differs from the plain count. */
export async function runRealOrdersCampaign(t: TestContext, { file, open, say }: RealOrdersCampaign): Promise<void> {
  const invoices = await readInvoices(openCsv(file))
  const { states } = toStates(invoices)
  let now = START
  const app = await open(t, { now: () => new Date(now) })
  await good(() => app.ask('POST', '/api/admin/programs', { body: { data: { source: WAITS_ENDS_AND_PAYS } } }))
  await good(() => app.upsertProducts(toProducts(invoices)))
  const players = toPlayers(invoices)
  await good(() => app.upsertPlayers(players))
  const shop = createPlainShop()
  const tally = { redeeming: 0, byHold: 0, redeemed: 0n, reinstated: 0n }
  for (const [index, { at, order }] of states.entries()) {
    now = new Date(Math.max(Date.parse(now), Date.parse(at))).toISOString()
    const { most, redeemed, reinstated } = shop.take(states[index]!, now)
    const sent = await orderPaying(app, states[index]!, { most, redeemed })
    const predicted = await good(() => app.predict(sent, '?explain=true'))
    const { inserted, updated } = (await good(() => app.record([sent]))).body
    assert.equal(inserted + updated, 1, `${order.order_id} at ${at} is recorded`)
    const account = await good(() => app.ask('GET', `/api/players/${order.user_id}?limit=1`))
    const { points, pending, held, next_expiry } = account.body
    assert.deepEqual(
      { after: { available: points + held, pending, held }, next_expiry },
      pick(predicted.body.explanation.balance),
      `${order.order_id} at ${at}`,
    )
    assert.equal(predicted.body.total_points, shop.earned(order.order_id), `${order.order_id} at ${at} earns`)
    const counted = shop.balance(order.user_id, shop.dayOf(now))
    assert.deepEqual([points, pending], [Number(counted.available), Number(counted.pending)], `${order.order_id}`)
    if (states[index]!.why === 'placed' && redeemed > 0n) {
      tally.redeeming += 1
      tally.redeemed += redeemed
      if ('redemption_id' in sent) tally.byHold += 1
    }
    tally.reinstated += reinstated
  }
  await compareDates(
    app,
    shop,
    players.map(({ User_id }) => User_id),
  )
  const { differences, differing } = await verifyLedger(app.service.db, () => undefined)
  assert.deepEqual([differing, differences], [0, []])
  say(
    `${states.length} states of ${players.length} players, ${tally.redeeming} orders paid with ${tally.redeemed} points (${tally.byHold} by a hold), ${tally.reinstated} given back anew: ${states.length} predictions came true, every balance matches the plain count on ${DATES.join(', ')}, the ledger verifies`,
  )
}

/** Compares every player's balance as of each date, and their sum with the points report. */
async function compareDates(app: TestApp, shop: PlainShop, userIds: readonly string[]): Promise<void> {
  for (const date of DATES) {
    const left = [...userIds]
    let outstanding = 0n
    const compareRest = async () => {
      for (let userId = left.pop(); userId !== undefined; userId = left.pop()) {
        const path = `/api/players/${userId}?limit=1&at=${date}`
        const { body } = await good(() => app.ask('GET', path))
        const { available, pending, expired } = shop.balance(userId, date)
        assert.deepEqual(
          [body.points, body.pending, body.expired],
          [available, pending, expired].map(Number),
          `${userId} on ${date}`,
        )
        const closing = shop.closing(userId, date)
        outstanding += closing.available + closing.pending
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, compareRest))
    const none = { knownAt: undefined, closedAt: undefined, pointValue: undefined }
    const query = { from: '2010-12-01', to: date, ...none }
    const { ends, owed } = await reportPoints(app.service.db, query, () => undefined)
    const closing = [...ends.values()].reduce((sum, points) => sum + points, -owed)
    assert.equal(closing, outstanding, `outstanding on ${date}`)
  }
}

/** The order with its redemption. What the service says can be redeemed must match the plain count; every second one holds the points first. */
async function orderPaying(
  app: TestApp,
  { why, order }: OrderState,
  { most, redeemed }: Readonly<{ most: bigint | undefined; redeemed: bigint }>,
): Promise<object> {
  if (most !== undefined) {
    const { redeemable } = (await good(() => app.predict(order, '?explain=true'))).body.explanation.balance
    assert.equal(redeemable.most, Number(most), `${order.order_id} could redeem`)
  }
  if (redeemed === 0n) return order
  const paying = { ...order, points_redeemed: Number(redeemed) }
  if (Number(order.order_id) % 8 !== 0) return paying
  const id = `hold-${order.order_id}`
  if (why === 'placed') {
    const data = { id, points: Number(redeemed), hold: true, order_id: order.order_id, reason: 'checkout' }
    await good(() => app.ask('POST', `/api/players/${order.user_id}/redemptions`, { body: { data } }))
  }
  return { ...paying, redemption_id: id }
}

const pick = ({ after, next_expiry }: Readonly<{ after: object; next_expiry: object | null }>) => ({
  after,
  next_expiry,
})

type PlainShop = ReturnType<typeof createPlainShop>
type PlainOrder = Readonly<{ userId: string; day: string; earned: bigint; redeemed: bigint }>

/** The shop's books kept by hand: what each order earns, redeems and gives back, according to the text of the program. */
function createPlainShop() {
  const orders = new Map<string, PlainOrder>()
  const ordersOf = new Map<string, Set<string>>()
  const reinstatedOf = new Map<string, PlainLot[]>()

  const lotsOf = (userId: string, day: string, but?: string) =>
    [
      ...own(userId, but).map(({ day: on, earned }) => ({ ...termsOf(on), day: on, slides: false, points: earned })),
      ...(reinstatedOf.get(userId) ?? []),
    ].filter((lot) => lot.day <= day)
  const debitsOf = (userId: string, day: string, but?: string) =>
    own(userId, but).flatMap(({ day: on, redeemed }) =>
      redeemed > 0n && on <= day ? [{ day: on, points: redeemed }] : [],
    )
  function own(userId: string, but?: string): PlainOrder[] {
    return [...(ordersOf.get(userId) ?? [])].flatMap((id) => (id === but ? [] : [orders.get(id)!]))
  }

  return {
    dayOf,
    earned: (id: string) => Number(orders.get(id)!.earned),
    /** As of a day, ignoring everything on later days. */
    balance: (userId: string, day: string): PlainBalance =>
      plainBalance(day, lotsOf(userId, day), debitsOf(userId, day)),
    /** Once a day is over: what could last be spent on it has expired (decision 143). */
    closing: (userId: string, day: string): PlainBalance =>
      plainBalance(plainDayAfter(day, 1), lotsOf(userId, day), debitsOf(userId, day)),

    /** Applies a state. `most`: what an order of the paying quarter can redeem, and does. */
    take({ why, order }: OrderState, now: string) {
      const { order_id: id, user_id: userId } = order
      const [today, day] = [dayOf(now), dayOf(order.ordered_at)]
      const pounds = BigInt(order.total_amount)
      const before = orders.get(id)
      const half = stepsOf((pounds * 100n) / 2n)
      const paysAtAll = why === 'placed' && Number(id) % 4 === 0
      const { available } = plainBalance(today, lotsOf(userId, today, id), debitsOf(userId, today, id))
      const fits = stepsOf(available < half ? available : half)
      const most = paysAtAll ? (fits < 200n ? 0n : fits) : undefined
      const kept = before === undefined || before.redeemed < half ? (before?.redeemed ?? 0n) : half
      const redeemed = why === 'cancelled' ? 0n : (most ?? kept)
      let reinstated = 0n
      if (before !== undefined && redeemed < before.redeemed) {
        // Points that come back and neither are spendable nor repay a debt have expired meanwhile.
        const availableWith = (points: bigint) =>
          plainBalance(today, lotsOf(userId, today, id), [...debitsOf(userId, today, id), { day: before.day, points }])
            .available
        reinstated = before.redeemed - redeemed - (availableWith(redeemed) - availableWith(before.redeemed))
        if (reinstated > 0n) {
          const lot = { day: today, usable: today, ends: plainDayAfter(today, 30), slides: false, points: reinstated }
          reinstatedOf.set(userId, [...(reinstatedOf.get(userId) ?? []), lot])
        }
      }
      const earned = why === 'cancelled' ? 0n : 3n * (pounds - redeemed / 100n)
      orders.set(id, { userId, day, earned, redeemed })
      ordersOf.set(userId, (ordersOf.get(userId) ?? new Set()).add(id))
      return { most, redeemed, reinstated }
    },
  }
}

/** Rounds down to whole hundreds. */
function stepsOf(points: bigint): bigint {
  return points <= 0n ? 0n : points - (points % 100n)
}

/** The day in Auckland: 13 hours ahead in summer, 12 in winter. */
function dayOf(moment: string): string {
  const isWinter = moment >= '2011-04-02T14:00' && moment < '2011-09-24T14:00'
  return new Date(Date.parse(moment) + (isWinter ? 12 : 13) * 3_600_000).toISOString().slice(0, 10)
}

/** Usable after 14 days, and until the end of the month three months on. */
function termsOf(day: string): Readonly<{ usable: string; ends: string }> {
  const usable = plainDayAfter(day, 14)
  const [year, month] = usable.split('-').map(Number) as [number, number]
  const ends = new Date(Date.UTC(year, month + 3, 1)).toISOString().slice(0, 10)
  return { usable, ends }
}

/** Sends again while the service is busy. */
async function good(send: () => ReturnType<TestApp['record']>) {
  for (let attempt = 1; ; attempt += 1) {
    const answered = await send()
    if (answered.status === 503 && attempt < TRIES_MAX) continue
    assert.equal(answered.status, 200, answered.text)
    return answered
  }
}

const OPEN: Readonly<Record<CampaignDatabase, OpenTestApp>> = { embedded: openTestApp, postgres: openServerApp }

if (import.meta.main) {
  const { file, database } = campaignCommand(
    'real-orders',
    'Replays the orders of a real shop whose points are pending, expire and pay, and checks them by a plain count.',
  )
    .option('--file <csv>', 'orders as examples/online-retail reads them, plain or .gz', EXTRACT)
    .addOption(databaseOption())
    .parse()
    .opts<{ file: string; database: readonly CampaignDatabase[] }>()
  describe('real orders', () => {
    for (const one of database)
      test(one, (t) =>
        runRealOrdersCampaign(t, { file, open: OPEN[one], say: (line) => console.log(`${one}: ${line}`) }),
      )
  })
}
