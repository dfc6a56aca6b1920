/*
 * The points report: what is outstanding, and what became of the rest (decision 143).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { parseRatio, ratioText, sum } from '../../src/engine/points/arithmetic.ts'
import { listExpiringPoints } from '../../src/resources/points-report/list-expiring-points.ts'
import { type PointsDocument, reportPointsAsOf } from '../../src/resources/points-report/points-document.ts'
import type { ReportQuery } from '../../src/resources/points-report/report-points.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { type PlainReport, plainPointsReport, type StoredRow } from '../support/plain-points-report.ts'
import { pointSteps, takePointStep } from '../support/point-histories.ts'
import { give } from '../support/redeeming.ts'
import { forEachService, type OpenTestApp, type TestApp } from '../support/test-app.ts'

const programWith = (points: string) => `name: Pay with points
money: { decimals: 2 }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 10 } }]
points: ${points}
redeem: { value: { points: 100, pays: "1.00" } }
`
const PROGRAM = programWith('{ pending: { days: 14 }, expire: { after: P12M } }')

/** After everything that is recorded here. */
const LATER = '2100-01-01T12:00:00.000Z'

const reported = (app: TestApp, from: string, to: string, more: Partial<ReportQuery> = {}, now = LATER) => {
  const query = { from, to, knownAt: undefined, closedAt: undefined, pointValue: undefined, ...more }
  return reportPointsAsOf(now, app.service.db, query, () => undefined)
}
const linesOf = ({ lines }: PointsDocument) =>
  Object.fromEntries(lines.map(({ line, points }) => [line, Number(points)]))

forEachService((openTestApp) => {
  const open = async (t: Parameters<OpenTestApp>[0], env: { now: string }, source = PROGRAM) => {
    const app = await openTestApp(t, { now: () => new Date(env.now) })
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    await app.upsertPlayers([aPlayer()])
    return app
  }

  test('a report has all that was recorded by the moment that it names, and nothing that was recorded until it was read', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, env)
    await give(app, 300)
    env.now = '2026-05-10T12:00:00.001Z'
    await give(app, 40)
    const known = ({ closing }: Record<string, number>, { as_of, known_at, quality }: PointsDocument) => {
      return { closing, as_of, known_at, quality }
    }
    for (const [now, closing] of [
      ['2026-05-10T12:00:00.000Z', 300],
      ['2026-05-10T12:00:00.001Z', 340],
    ] as const) {
      const found = await reported(app, '2026-05-01', '2026-05-31', {}, now)
      assert.deepEqual(known(linesOf(found), found), { closing, as_of: now, known_at: null, quality: 'exact' })
    }
  })

  test('a report reconciles opening and closing outstanding points, by kind, version and month, in points and money (decision 143)', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, env)
    await give(app, 300, { expires_on: '2026-06-01' })
    await give(app, 240)
    env.now = '2026-05-20T12:00:00.000Z'
    await app.record([anOrder({ total_amount: 100, products: [], points_redeemed: 100 })])
    env.now = '2026-06-10T12:00:00.000Z'
    const may = await reported(app, '2026-05-01', '2026-05-31')
    assert.deepEqual(may.point_value, { each: '0.01', by: 'program', version: 2 })
    assert.deepEqual(
      may.lines.map(({ line, points, value }) => [line, points, value]),
      [
        ['opening', '0', '0'],
        ['late', '0', '0'],
        ['issued', '9', '0.09'],
        ['redeemed', '-100', '-1'],
        ['adjusted', '540', '5.4'],
        ['reinstated', '0', '0'],
        ['expired', '-200', '-2'],
        ['value-change', '0', '0'],
        ['closing', '249', '2.49'],
      ],
    )
    assert.deepEqual([may.pending.points, may.owed.points], ['9', '0'])
    const none = { opening: '0', late: '0' }
    assert.deepEqual(may.sources, [
      { kind: 'adjustment', program: null, ...none, given: '540', spent: '-100', expired: '-200', closing: '240' },
      { kind: 'order', program: 2, ...none, given: '9', spent: '0', expired: '0', closing: '9' },
    ])
    assert.deepEqual(may.ends, [
      { month: '2027-05', points: '240', value: '2.4' },
      { month: '2027-06', points: '9', value: '0.09' },
    ])
    const june = await reported(app, '2026-06-01', '2026-06-30')
    assert.deepEqual([linesOf(june).opening, linesOf(june).expired, linesOf(june).closing], [249, 0, 249])
    assert.deepEqual(june.months, [
      {
        ...{ month: '2026-05', given: '549', spent: '100', expired: '200', open: '249' },
        shares: { spent: '0.1821', expired: '0.3643', open: '0.4536' },
      },
    ])
  })

  test('late orders change a closed month, and are a separate line if that month was already reported (decision 143)', async (t) => {
    const env = { now: '2026-05-20T12:00:00.000Z' }
    const app = await open(t, env)
    await app.record([anOrder({ total_amount: 100, products: [] })])
    const [closedAt, knownAt] = ['2026-06-02T00:00:00.000Z', '2026-07-02T00:00:00.000Z']
    env.now = '2026-06-11T12:00:00.000Z'
    const may = await reported(app, '2026-05-01', '2026-05-31', { knownAt: closedAt })
    const late = anOrder({ order_id: 'late', total_amount: 70, products: [], ordered_at: '2026-05-30T12:00:00.000Z' })
    await app.record([late])
    assert.equal(linesOf(await reported(app, '2026-05-01', '2026-05-31')).issued, 17)
    const june = await reported(app, '2026-06-01', '2026-06-30', { knownAt, closedAt })
    assert.deepEqual([linesOf(may).closing, linesOf(june).opening, linesOf(june).late], [10, 10, 7])
    assert.equal(linesOf(june).closing, 17)
    env.now = '2026-07-05T12:00:00.000Z'
    const endless = programWith('{ expire: { after: P1M }, earlier-points: P1D }')
    await app.ask('POST', '/api/admin/programs', { body: { data: { source: endless, from: '2026-07-05T13:00:00Z' } } })
    await app.record([{ ...late, status: 'cancelled' }])
    assert.deepEqual(await reported(app, '2026-05-01', '2026-05-31', { knownAt: closedAt }), may)
    assert.deepEqual(await reported(app, '2026-06-01', '2026-06-30', { knownAt, closedAt }), june)
  })

  test('the value of a point is the requested one, else that of the program, else the setting; without any the report has no money', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    await app.record([anOrder({ total_amount: 200, products: [] })])
    const worth = async (more: Partial<ReportQuery> = {}) => {
      const { point_value, lines } = await reported(app, '2000-01-01', '2999-12-31', more)
      return [point_value, lines.at(-1)!.points, lines.at(-1)!.value]
    }
    assert.deepEqual(await worth(), [null, '20', null])
    await app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.point-value': '0.02' } } })
    assert.deepEqual(await worth(), [{ each: '0.02', by: 'setting' }, '20', '0.4'])
    assert.deepEqual(await worth({ pointValue: '0.005' }), [{ each: '0.005', by: 'asked' }, '20', '0.1'])
    const source = PROGRAM.replace('points: 100, pays: "1.00"', 'points: 3, pays: "1.00"').replace(
      'redeem: {',
      'redeem: { step: 3,',
    )
    await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
    assert.deepEqual(await worth(), [{ each: '1/3', by: 'program', version: 2 }, '20', '20/3'])
  })

  test('over a year under four point values, money chains to the cent: each month opens with the last closing, and redeemed points are worth what they paid (decision 143)', async (t) => {
    const env = { now: '2026-01-01T12:00:00.000Z' }
    const app = await open(t, env)
    const values = ['100, pays: "1.00"', '50, pays: "1.00"', '3, pays: "1.00"', '200, pays: "1.00"']
    const documents: PointsDocument[] = []
    const paidIn: number[] = []
    for (let month = 1; month <= 12; month += 1) {
      const day = (n: number) => `2026-${String(month).padStart(2, '0')}-${String(n).padStart(2, '0')}`
      const value = values[Math.floor((month - 1) / 3)]!
      if (month % 3 === 1) {
        const source = PROGRAM.replace('100, pays: "1.00"', value).replace('redeem: {', 'redeem: { step: 6,')
        env.now = `${day(10)}T12:00:00.000Z`
        assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
      }
      env.now = `${day(12)}T12:00:00.000Z`
      await give(app, 1_000, { id: `gift-${month}`, expires_on: `2026-12-${String(month + 10)}` })
      await app.record([
        anOrder({
          order_id: `o-${month}`,
          total_amount: 5_000,
          products: [],
          points_redeemed: 600,
          ordered_at: env.now,
        }),
      ])
      const redeemed = { id: `r-${month}`, points: 300, reason: 'r' }
      assert.equal((await app.ask('POST', '/api/players/u-1/redemptions', { body: { data: redeemed } })).status, 200)
      paidIn.push(900 / Number(value.split(',')[0]))
    }
    env.now = '2027-02-01T12:00:00.000Z'
    for (let month = 1; month <= 12; month += 1) {
      const last = new Date(Date.UTC(2026, month, 0)).toISOString().slice(0, 10)
      documents.push(await reported(app, `${last.slice(0, 7)}-01`, last))
    }
    const money = (document: PointsDocument, line: string) => document.lines.find((one) => one.line === line)!.value!
    for (const [index, document] of documents.entries()) {
      const moved = document.lines.filter(({ line }) => line !== 'closing').map(({ value }) => parseRatio(value!)!)
      assert.equal(ratioText(sum(moved)), money(document, 'closing'), document.from)
      assert.equal(money(document, 'redeemed'), String(-paidIn[index]!), document.from)
      if (index > 0)
        assert.deepEqual(money(document, 'opening'), money(documents[index - 1]!, 'closing'), document.from)
    }
    assert(documents.filter((one) => money(one, 'value-change') !== '0').length >= 3)
  })

  test('expiring points are listed by player and day, as of now', async (t) => {
    const env = { now: '2026-05-10T12:00:00.000Z' }
    const app = await open(t, env)
    await give(app, 300, { expires_on: '2026-06-01' })
    await give(app, 240)
    await give(app, 50, { usable_on: '2026-06-01', expires_on: '2026-06-02' })
    await app.ask('POST', '/api/players/u-1/redemptions', { body: { data: { id: 'r', points: 310, reason: 'r' } } })
    const expiring = async (from: string, to: string) => {
      const found = []
      for await (const one of listExpiringPoints(app.service.db, { from, to }, env.now)) found.push(one)
      return found
    }
    assert.deepEqual(await expiring('2026-05-01', '2027-12-31'), [
      { userId: 'u-1', expiring: [{ points: 230n, on: '2027-05-10', lastDay: '2027-05-09' }] },
    ])
    assert.deepEqual(await expiring('2026-05-01', '2026-12-31'), [{ userId: 'u-1', expiring: [] }])
  })

  test('the list of expiring points is without players who have left or were erased, and a report is not', async (t) => {
    const app = await open(t, { now: '2026-05-10T12:00:00.000Z' })
    const ids = ['erased', 'left', 'stays']
    await app.upsertPlayers(ids.map((User_id) => aPlayer({ User_id, participates: User_id !== 'left' })))
    for (const id of ids) {
      const data = { id: 'a-1', points: 10, counts: false, reason: 'gift' }
      await app.ask('POST', `/api/players/${id}/adjustments`, { body: { data } })
    }
    await app.ask('POST', '/api/admin/players/erased/erase', { body: { data: { reason: 'asked for it' } } })
    const found: Record<string, number> = {}
    const range = { from: '2026-05-01', to: '2027-12-31' }
    for await (const { userId, expiring } of listExpiringPoints(app.service.db, range, '2026-05-10T12:00:00.000Z'))
      found[userId] = expiring.length
    assert.deepEqual(found, { erased: 0, left: 0, stays: 1 })
    assert.equal(linesOf(await reported(app, '2026-05-01', '2026-05-31')).closing, 30)
  })

  test('over generated histories a report matches a plain count, a month opens with the previous closing, and a report as known earlier never changes (decision 143)', async (t) => {
    const env = { now: '2026-01-03T12:00:00.000Z' }
    const app = await open(t, env, programWith('{ pending: { days: 3 }, expire: { after: P1M, at-end-of: month } }'))
    const players = Array.from({ length: 8 }, (_, n) => `p-${n}`)
    await app.upsertPlayers(players.map((User_id) => aPlayer({ User_id, Refercode: '' })))
    const steps = fc.sample(fc.array(aStep, { minLength: 30, maxLength: 30 }), {
      numRuns: 4,
      seed: Date.now() % 2 ** 31,
    })
    const kept: [ReportQuery, PointsDocument][] = []
    for (const [month, batch] of steps.entries()) {
      for (const step of batch) await takePointStep(app, env, step, players)
      if (month === 1) {
        const sliding = programWith('{ expire: { inactive: P20D } }')
        await app.ask('POST', '/api/admin/programs', { body: { data: { source: sliding } } })
      }
      const now = env.now
      env.now = new Date(Date.parse(now) + 6 * 60_000).toISOString()
      await compare(app, now, kept)
    }
    await assertAgreement(app)
  })
})

/** The report, the statistics and the metrics name the same points adjusted, redeemed and spent; and issued, less what was taken back. */
async function assertAgreement(app: TestApp): Promise<void> {
  const [from, to] = ['2025-12-01', '2026-12-31']
  const { lines } = await reported(app, from, to)
  const inReport = (name: string) => Number(lines.find(({ line }) => line === name)!.points)
  const statistics = async (what: string) =>
    (await app.ask('GET', `/api/admin/statistics/${what}?from=${from}&to=${to}`)).body
  const { figures } = await statistics('summary')
  const inSummary = (name: string) => Number(figures.find(({ figure }: { figure: string }) => figure === name).points)
  const { lines: points } = await statistics('points')
  const inLines = (measure: string, key: string) =>
    points
      .filter((line: { measure: string; key: string }) => line.measure === measure && line.key === key)
      .reduce((total: number, line: { points: string }) => total + Number(line.points), 0)
  const metrics = (await app.ask('GET', '/metrics')).text
  const inMetrics = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)![1])
  const [given, taken] = [inLines('issued', 'adjustment'), inLines('spent', 'adjustment')]
  assert.ok(given > 0 && taken < 0, 'nothing was adjusted in one of the directions')
  assert.equal(inSummary('adjusted-net'), inReport('adjusted'))
  assert.equal(inSummary('adjusted-net'), given + taken)
  const ofOrders = ['order', 'referral'].map((kind) => inLines('issued', kind) + inLines('taken-back', kind))
  assert.equal(inReport('issued'), ofOrders[0]! + ofOrders[1]!)
  assert.ok(inSummary('taken-back') < 0, 'nothing was taken back')
  assert.equal(inSummary('issued') + inSummary('taken-back'), inReport('issued') + inReport('reinstated') + given)
  assert.equal(inReport('redeemed'), inLines('spent', 'redemption'))
  assert.equal(inSummary('spent'), inReport('redeemed') + taken)
  assert.equal(
    inSummary('spent'),
    -inMetrics('laurel_points_spent_total') + inMetrics('laurel_points_given_back_total'),
  )
  assert.equal(inMetrics('laurel_points_spent_total'), inMetrics('laurel_points_redeemed_total') - taken)
}

const aStep = pointSteps({ players: 8, ids: 3, hoursMax: 40, lateDays: [0, 12] })

async function compare(app: TestApp, now: string, kept: [ReportQuery, PointsDocument][]): Promise<void> {
  for (const [query, document] of kept)
    assert.deepEqual(
      await reported(app, query.from, query.to, query),
      document,
      'a report as known earlier has changed',
    )
  const rows = await storedRows(app)
  const query = (from: string, to: string, more: Partial<ReportQuery> = {}): ReportQuery => ({
    ...{ from, to, knownAt: now, closedAt: undefined, pointValue: undefined, ...more },
  })
  const [previous] = kept.at(-1) ?? []
  const closedAt = previous?.knownAt
  let closing: string | undefined
  for (const [from, to] of [
    ['2025-12-01', '2025-12-31'],
    ['2026-01-01', '2026-01-31'],
    ['2026-02-01', '2026-02-28'],
    ['2026-03-01', '2026-04-30'],
  ] as const) {
    for (const asked of [query(from, to), query(from, to, { closedAt })]) {
      const found = await reported(app, from, to, asked)
      assert.deepEqual(plainOf(found), sorted(plainPointsReport(rows, known(asked))))
      kept.push([asked, found])
    }
    const monthly = kept.at(-2)![1].lines
    if (closing !== undefined)
      assert.equal(monthly[0]!.points, closing, 'a month does not open with the previous closing')
    closing = monthly.at(-1)!.points
  }
}

function known({ from, to, knownAt, closedAt }: ReportQuery) {
  return { from, to, knownAt: knownAt!, ...(closedAt === undefined ? {} : { closedAt }) }
}

async function storedRows(app: TestApp): Promise<StoredRow[]> {
  const rows = await app.query(`select user_id, kind, points::int as points, change, program_version as program,
    day::text as day, usable_on::text as usable_on, expires_on::text as expires_on, slides, recorded_at from entries`)
  return rows.map((row) => ({ ...row, recorded_at: new Date(row.recorded_at as string).toISOString() })) as StoredRow[]
}

/** A document in the form of the plain count. */
function plainOf({ lines, pending, owed, sources, ends, months }: PointsDocument) {
  const numbers = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]))
  return sorted({
    lines: Object.fromEntries(
      lines.flatMap(({ line, points }) => (line === 'value-change' ? [] : [[line, Number(points)]])),
    ),
    pending: Number(pending.points),
    owed: Number(owed.points),
    sources: Object.fromEntries(
      sources.map(({ kind, program, ...parts }) => [`${kind} ${program ?? ''}`, numbers(parts)]),
    ),
    ends: Object.fromEntries(ends.map(({ month, points }) => [month, Number(points)])),
    months: Object.fromEntries(months.map(({ month, shares: _, ...parts }) => [month, numbers(parts)])),
  })
}

/** Without sources whose figures are all 0, and with 0 for -0. */
function sorted({ sources, ...report }: PlainReport): PlainReport {
  const some = Object.entries(sources).filter(([, parts]) => Object.values(parts).some((points) => points !== 0))
  return JSON.parse(JSON.stringify({ ...report, sources: Object.fromEntries(some) })) as PlainReport
}
