/*
 * Balances in a backtest: what is pending, expired and available under another program with the same spending.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { backtestText } from '../../src/cli/output/backtest-text.ts'
import { shopSettingsWith } from '../../src/engine/ingest/shop-settings.ts'
import { documentOf } from '../../src/resources/backtests/backtest-document.ts'
import { pageOf } from '../../src/resources/backtests/backtest-page.ts'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { pointValueText } from '../../src/resources/settings/point-value.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { type PlainActivity, type PlainLot, plainBalance, plainDayAfter } from '../support/plain-balance.ts'
import { pointSteps, takePointStep } from '../support/point-histories.ts'
import { forEachService, type OpenTestApp, type TestApp } from '../support/test-app.ts'

const programOf = (every: number, more = '', referral = '') => `name: Every ${every}
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: ${every}, of: total } }]
${referral}
${more}
`
const REDEEM = 'redeem: { value: { points: 100, pays: "1.00" } }'

type Clock = { now: string }
type Range = Readonly<{ from?: string; to?: string }>

const found = async (app: TestApp, source: string, now: string, range: Range = {}) =>
  documentOf(
    await backtestProgram(app.service.db, { source, ...range, now }, () => undefined, { rangeOrders: 2 }),
    undefined,
  )

/** Outstanding, pending, expired and owed points, the points not covered, and the number of spends not covered. */
const figures = ({ balances }: Awaited<ReturnType<typeof found>>, side: 'before' | 'after') => {
  const { outstanding, pending, expired, owed, not_covered, spends_not_covered } = balances!
  return [
    ...[outstanding, pending, expired, owed, not_covered].map((one) => Number(one[side])),
    spends_not_covered[side],
  ]
}

forEachService((openTestApp) => {
  const open = async (t: Parameters<OpenTestApp>[0], clock: Clock, source: string) => {
    const app = await openTestApp(t, { now: () => new Date(clock.now) })
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    return app
  }
  const order = (app: TestApp, clock: Clock, day: string, sent: object) => {
    clock.now = `${day}T12:00:00.000Z`
    return app.record([anOrder({ products: [], discount: 0, ...sent })])
  }

  test('the value of a point is the requested one, else that of the version in effect, else the setting, else that of the tested program (decision 70)', async (t) => {
    const clock = { now: '2026-01-01T00:00:00.000Z' }
    const app = await open(t, clock, programOf(10, REDEEM))
    const asked = { source: programOf(20), now: clock.now }
    const { candidate, inEffect } = await backtestProgram(app.service.db, asked, () => undefined)
    const both = { inEffect, candidate }
    const turned = { inEffect: candidate, candidate: inEffect }
    const shop = shopSettingsWith({ 'money.point-value': '0.5' })
    assert.equal(pointValueText('0.2', both, shop), '0.2')
    assert.equal(pointValueText(undefined, both, shop), '0.01')
    assert.equal(pointValueText(undefined, turned, shop), '0.5')
    assert.equal(pointValueText(undefined, turned, shopSettingsWith({})), '0.01')
    assert.equal(pointValueText(undefined, { inEffect: candidate, candidate }, shopSettingsWith({})), undefined)
  })

  test('a backtest replays the same spending under the candidate, and says what is pending, expired and not covered', async (t) => {
    const clock = { now: '2026-01-01T00:00:00.000Z' }
    const app = await open(t, clock, programOf(10, REDEEM))
    await app.upsertPlayers(['u-1', 'u-2'].map((User_id) => aPlayer({ User_id, Refercode: '' })))
    await order(app, clock, '2026-01-10', { order_id: 'a', total_amount: 1000 })
    await order(app, clock, '2026-01-10', { order_id: 'b', user_id: 'u-2', total_amount: 200 })
    await order(app, clock, '2026-02-01', { order_id: 'c', total_amount: 600 })
    clock.now = '2026-02-20T12:00:00.000Z'
    const spent = { body: { data: { id: 'r', points: 90, reason: 'r' } } }
    assert.equal((await app.ask('POST', '/api/players/u-1/redemptions', spent)).status, 200)
    await order(app, clock, '2026-03-10', { order_id: 'd', total_amount: 400 })

    const candidate = (more = '') =>
      programOf(20, `points: { pending: { days: 14 }, expire: { after: P1M }${more} }\n${REDEEM}`)
    // 50 points of January are usable from 24 January to 23 February, 30 of February from the 15th to 14 March: 80 when 90 are spent. 10 are owed
    // until the 20 of March become usable on the 24th. The 10 of the other player expire.
    const atFirst = await found(app, candidate(), '2026-03-20T12:00:00.000Z')
    assert.deepEqual(figures(atFirst, 'before'), [130, 0, 0, 0, 0, 0])
    assert.deepEqual(figures(atFirst, 'after'), [0, 20, 10, 10, 10, 1])
    const later = await found(app, candidate(), '2026-03-25T12:00:00.000Z')
    assert.deepEqual(figures(later, 'after'), [10, 0, 10, 0, 10, 1])
    // A backtest from February leaves the points of January as they are: 30 and 60 of them are spent.
    const from = '2026-02-01T00:00:00.000Z'
    const since = await found(app, candidate(), '2026-03-20T12:00:00.000Z', { from })
    assert.deepEqual(figures(since, 'after'), [60, 20, 0, 0, 0, 0])
    // If the candidate assigns them an expiry, on 1 March, 90 of them are spent, and 10, 20 and the 30 expire.
    const ended = await found(app, candidate(', earlier-points: P1M'), '2026-03-20T12:00:00.000Z', { from })
    assert.deepEqual(figures(ended, 'after'), [0, 20, 60, 0, 0, 0])
    const until = await found(app, candidate(), '2026-03-25T12:00:00.000Z', { to: '2026-02-10T00:00:00.000Z' })
    assert.deepEqual(figures(until, 'before'), [180, 0, 0, 0, 0, 0])
    assert.deepEqual(figures(until, 'after'), [60, 30, 0, 0, 0, 0])

    const text = backtestText(atFirst)
    assert.match(text, /^1 spend would not have been covered, 10 points short \(as recorded: 0 and 0\): approximate/m)
    assert.match(
      text,
      /^Balances\n\npoints +before +after +difference\noutstanding +130 +0 +-130\npending +0 +20 +\+20\nexpired +0 +10 +\+10\n/m,
    )
    const page = pageOf(atFirst)
    for (const text of ['<h2>Balances</h2>', 'overspent', '1 spend would not have been covered'])
      assert.ok(page.includes(text), text)
  })

  test('points for a referral are pending and expire according to the candidate, as of the order of the friend', async (t) => {
    const clock = { now: '2026-01-01T00:00:00.000Z' }
    const app = await open(t, clock, programOf(10, '', 'referral: { friend: 0, referrer: 40 }'))
    await app.upsertPlayers([
      aPlayer({ User_id: 'u-1', Refercode: 'ASHA' }),
      aPlayer({ User_id: 'u-2', Refercode: '' }),
    ])
    await order(app, clock, '2026-01-10', { user_id: 'u-2', total_amount: 100, refferral_code: 'ASHA' })
    for (const [referrer, given] of [
      [40, 40],
      [25, 25],
    ] as const) {
      const source = programOf(
        10,
        'points: { pending: { days: 10 } }',
        `referral: { friend: 0, referrer: ${referrer} }`,
      )
      for (const [day, outstanding] of [
        ['2026-01-19', 0],
        ['2026-01-20', given + 10],
      ] as const) {
        const document = await found(app, source, `${day}T12:00:00.000Z`)
        assert.deepEqual(figures(document, 'before'), [50, 0, 0, 0, 0, 0])
        assert.deepEqual(figures(document, 'after'), [outstanding, given + 10 - outstanding, 0, 0, 0, 0])
      }
    }
  })

  test('a backtest says nothing about balances if no program gives points dates or lets them be spent', async (t) => {
    const clock = { now: '2026-01-01T00:00:00.000Z' }
    const app = await open(t, clock, programOf(10))
    await app.upsertPlayers([aPlayer()])
    await order(app, clock, '2026-01-10', { total_amount: 100 })
    const document = await found(app, programOf(20), clock.now)
    assert.equal('balances' in document, false)
    for (const shown of [backtestText(document), pageOf(document)]) assert.doesNotMatch(shown, /balances|covered/i)
    assert.equal('balances' in (await found(app, programOf(20, REDEEM), clock.now)), true)
  })

  test('over generated histories balances match a plain count, and the program in effect changes none', async (t) => {
    const clock = { now: '2026-01-01T12:00:00.000Z' }
    const inEffect = programOf(10, `points: { pending: { days: 2 }, expire: { inactive: P25D } }\n${REDEEM}`)
    const app = await open(t, clock, inEffect)
    const players = Array.from({ length: 6 }, (_, n) => `p-${n}`)
    await app.upsertPlayers(players.map((User_id) => aPlayer({ User_id, Refercode: '' })))
    const steps = fc.sample(fc.array(aStep, { minLength: 40, maxLength: 40 }), {
      numRuns: 3,
      seed: Date.now() % 2 ** 31,
    })
    let differed = 0
    for (const batch of steps) {
      for (const step of batch) await takePointStep(app, clock, step, players)
      const { now } = clock
      const rows = await storedRows(app)
      const middle = new Date((Date.parse('2026-01-01T12:00:00.000Z') + Date.parse(now)) / 2).toISOString()
      for (const range of [{}, { from: middle }]) {
        const same = await found(app, inEffect, now, range)
        assert.deepEqual(figures(same, 'after'), figures(same, 'before'))
        assert.deepEqual(
          figures(same, 'before'),
          total(players, (id) => ofLedger(rows, id), now.slice(0, 10)),
        )
        for (const each of CANDIDATES) {
          const { every, pending, days, slides } = each
          const expire = slides ? `inactive: P${days}D` : `after: P${days}D`
          const source = `time-zone: Asia/Kolkata\n${programOf(every, `points: { pending: { days: ${pending} }, expire: { ${expire} } }\n${REDEEM}`)}`
          const document = await found(app, source, now, range)
          const placed = await storedOrders(app)
          const plain = total(players, (id) => underCandidate(rows, placed, id, { ...each, ...range }), inKolkata(now))
          assert.deepEqual(figures(document, 'after'), plain, JSON.stringify({ each, range }))
          if (plain[5]! > 0) differed += 1
        }
      }
    }
    assert.ok(differed > 0, 'some spending is not covered')
  })
})

const CANDIDATES = [
  { every: 10, pending: 0, days: 12, slides: false },
  { every: 25, pending: 5, days: 30, slides: false },
  { every: 15, pending: 3, days: 9, slides: true },
] as const
type Candidate = (typeof CANDIDATES)[number]

const aStep = pointSteps({ players: 6, ids: 4, hoursMax: 30 })

type Row = Readonly<{
  user_id: string
  kind: string
  points: number
  at: string
  day: string
  usable_on: string | null
  expires_on: string | null
  slides: boolean | null
}>
type PlacedOrder = Readonly<{ user_id: string; at: string; status: string; total: number }>

async function storedRows(app: TestApp): Promise<Row[]> {
  const rows = await app.query(`select user_id, kind, points::int as points, at, day::text as day,
    usable_on::text as usable_on, expires_on::text as expires_on, slides from entries`)
  return rows.map((row) => ({ ...row, at: new Date(row.at as string).toISOString() })) as Row[]
}

async function storedOrders(app: TestApp): Promise<PlacedOrder[]> {
  const rows = await app.query(`select user_id, ordered_at as at, state ->> 'status' as status,
    state ->> 'total' as total from orders`)
  return rows.map((row) => ({
    ...(row as PlacedOrder),
    at: new Date(row.at as string).toISOString(),
    total: Number(row.total),
  }))
}

/** The input of a plain count. */
type Parts = { given: PlainLot[]; debits: { day: string; points: bigint }[]; activities: PlainActivity[] }

const isSpent = ({ kind, points }: Row) => kind === 'redemption' || (kind === 'adjustment' && points < 0)

function ofLedger(rows: readonly Row[], id: string): Parts {
  const parts: Parts = { given: [], debits: [], activities: [] }
  for (const row of rows.filter(({ user_id }) => user_id === id)) addLedgerRow(parts, row)
  return parts
}

function addLedgerRow({ given, debits, activities }: Parts, row: Row): void {
  const { day, points, usable_on, expires_on, slides } = row
  const ends = expires_on ?? 'infinity'
  if (slides === true) activities.push({ day, ends })
  if (isSpent(row)) debits.push({ day, points: BigInt(-points) })
  else given.push({ day, usable: usable_on ?? day, ends, slides: slides === true, points: BigInt(points) })
}

function underCandidate(
  rows: readonly Row[],
  placed: readonly PlacedOrder[],
  id: string,
  { every, pending, days, slides, from = '' }: Candidate & Range,
): Parts {
  const parts: Parts = { given: [], debits: [], activities: [] }
  const keepAlive = (day: string, ends: string) => {
    if (slides) parts.activities.push({ day, ends })
  }
  for (const row of rows.filter(({ user_id }) => user_id === id)) {
    const { at, day, kind, points } = row
    if (at < from || (kind !== 'order' && !isSpent(row))) addLedgerRow(parts, row)
    else if (isSpent(row)) {
      parts.debits.push({ day, points: BigInt(-points) })
      keepAlive(day, plainDayAfter(day, days))
    } else keepAlive(inKolkata(at), plainDayAfter(inKolkata(at), pending + days))
  }
  for (const { at, total } of placed.filter((one) => one.user_id === id && one.at >= from && one.status === 'placed')) {
    const day = inKolkata(at)
    const [usable, ends] = [plainDayAfter(day, pending), plainDayAfter(day, pending + days)]
    parts.given.push({ day, usable, ends, slides, points: BigInt(Math.floor(total / every)) })
    keepAlive(day, ends)
  }
  return parts
}

/** The figures of all players, each counted plainly. */
function total(players: readonly string[], partsOf: (id: string) => Parts, until: string): number[] {
  const sums = [0, 0, 0, 0, 0, 0]
  for (const id of players) {
    const { given, debits, activities } = partsOf(id)
    const { available, pending, expired } = plainBalance(until, given, debits, activities)
    const missing = [...new Set(debits.map(({ day }) => day))].map((day) => {
      const before = debits.filter((one) => one.day < day)
      const had = Number(
        plainBalance(
          day,
          given,
          before,
          activities.filter((one) => one.day <= day),
        ).available,
      )
      const asked = debits.reduce((sum, one) => (one.day === day ? sum + Number(one.points) : sum), 0)
      return Math.max(0, asked - Math.max(0, had))
    })
    const own = [
      Math.max(0, Number(available)),
      ...[Number(pending), Number(expired), Math.max(0, -Number(available))],
      missing.reduce((sum, points) => sum + points, 0),
      missing.filter((points) => points > 0).length,
    ]
    for (const [place, points] of own.entries()) sums[place] = sums[place]! + points
  }
  return sums
}

function inKolkata(at: string): string {
  return new Date(Date.parse(at) + 5.5 * 3_600_000).toISOString().slice(0, 10)
}
