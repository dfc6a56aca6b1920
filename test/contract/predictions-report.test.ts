/*
 * Whether predictions came true, and why not: each reason in its own history, and in generated histories.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { reportPredictions } from '../../src/resources/prediction-log/report-predictions.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, type OpenTestApp, send, type TestApp } from '../support/test-app.ts'

const ALWAYS = { from: '-infinity', to: 'infinity' }
const HISTORIES = 15
/** After everything that is recorded here. */
const LATER = '2100-01-01T12:00:00.000Z'

const sourceOf = (rules: readonly object[], parts: object = {}) =>
  JSON.stringify({
    name: 'Catalogue',
    rounding: 'floor',
    levels: {
      counts: 'lifetime',
      ladder: [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 100 },
      ],
    },
    earn: rules.map((rule, index) => ({ name: `rule ${index}`, ...rule })),
    referral: { friend: 50, referrer: 100, counts: true },
    ...parts,
  })

const rulesOf = (points: number) => [
  { 'per-amount': { points, every: 10, of: 'catalogue' } },
  { when: 'player.state == "Goa"', fixed: { points: 7 } },
  { when: 'order.at < timestamp("2026-05-01T00:00:00Z")', fixed: { points: 3 } },
]

/** A service with a clock that the test controls, and the steps of the histories. */
async function openShop(t: Parameters<OpenTestApp>[0], open: OpenTestApp) {
  const clock = { ms: Date.UTC(2026, 5, 1, 12) }
  const app = await open(t, { now: () => new Date(clock.ms) })
  const good = async (reply: ReturnType<TestApp['record']>) => {
    const { status, text, body } = await reply
    assert.equal(status, 200, text)
    return body
  }
  const shop = {
    app,
    clock,
    /** Two seconds later: earlier predictions are written, and no two events have the same time. */
    pass: async (ms = 2_000) => {
      clock.ms += ms
      await app.service.deps.predictions.flush()
    },
    predict: async (order: object) => {
      const body = await good(app.predict(order, '?explain=true'))
      await shop.pass()
      return body
    },
    record: async (order: object) => {
      await good(app.record([order]))
      await shop.pass(10_000)
    },
    player: async (parts: object) => good(app.upsertPlayers([aPlayer(parts)])),
    price: async (product_sku_id: string, amount: string) =>
      good(app.upsertProducts([aProduct({ product_sku_id, amount })])),
    publish: async (source: string, from?: string) =>
      good(
        app.ask('POST', '/api/admin/programs', { body: { data: { source, ...(from === undefined ? {} : { from }) } } }),
      ),
    report: (range = ALWAYS, asOf = LATER) => reportPredictions(app.service.db, range, asOf, () => undefined),
  }
  return shop
}

type Shop = Awaited<ReturnType<typeof openShop>>

/** An order with one line of tea, the first one of its player. */
const teaFor = (user_id: string, parts: object = {}) =>
  anOrder({
    user_id,
    order_id: `o-${user_id}`,
    total_amount: 0,
    products: [{ product_sku_id: 'tea', qty: 10 }],
    ordered_at: '2026-06-01T00:00:00Z',
    ...parts,
  })
const more = { products: [{ product_sku_id: 'tea', qty: 30 }] }

/** What happens between prediction and report, for a player of the same name, and the reasons that the report must name. */
const HISTORIES_OF: Readonly<Record<string, [reasons: string, (shop: Shop, name: string) => Promise<void>]>> = {
  'nothing happens': ['', (shop, name) => shop.record(teaFor(name))],
  'a program is published': [
    'program',
    async (shop, name) => {
      // It takes effect at the time of the order, which is allowed as no order is recorded yet.
      const after = { ordered_at: new Date(shop.clock.ms).toISOString() }
      await shop.predict(teaFor(name, after))
      await shop.publish(sourceOf(rulesOf(2)), after.ordered_at)
      await shop.record(teaFor(name, after))
    },
  ],
  'the player moves': [
    'player',
    async (shop, name) => {
      await shop.player({ User_id: name, Refercode: name, State: 'Goa' })
      await shop.record(teaFor(name))
    },
  ],
  'another order comes in between and reaches the next level': [
    'player',
    async (shop, name) => {
      await shop.record(teaFor(name, { order_id: `${name} first`, products: [{ product_sku_id: 'tea', qty: 2_000 }] }))
      await shop.record(teaFor(name))
    },
  ],
  'a price changes': [
    'price',
    async (shop, name) => {
      await shop.price('tea', '9.00')
      await shop.record(teaFor(name))
      await shop.price('tea', '4.50')
    },
  ],
  'another player takes the same referral code': [
    'referral',
    async (shop, name) => {
      await shop.predict(teaFor(name, { refferral_code: 'FRIEND' }))
      await shop.player({ User_id: 'thief', Refercode: 'FRIEND' })
      await shop.record(teaFor(name, { refferral_code: 'FRIEND' }))
    },
  ],
  'more is ordered than predicted': ['order', (shop, name) => shop.record(teaFor(name, more))],
  'the order is returned later': [
    '',
    async (shop, name) => {
      await shop.record(teaFor(name))
      await shop.record(teaFor(name, { status: 'returned' }))
    },
  ],
  'more is ordered, and corrected later': [
    'order',
    async (shop, name) => {
      await shop.record(teaFor(name, more))
      await shop.record(teaFor(name))
    },
  ],
  'a price changes, and later the order': [
    'price',
    async (shop, name) => {
      await shop.price('tea', '9.00')
      await shop.record(teaFor(name))
      await shop.record(teaFor(name, more))
      await shop.price('tea', '4.50')
    },
  ],
  'a price changes while the player moves': [
    'player+price',
    async (shop, name) => {
      await shop.player({ User_id: name, Refercode: name, State: 'Goa' })
      await shop.price('tea', '9.00')
      await shop.record(teaFor(name))
      await shop.price('tea', '4.50')
    },
  ],
  'the order is backdated, which a condition depends on': [
    'moment',
    (shop, name) => shop.record(teaFor(name, { ordered_at: '2026-04-30T00:00:00Z' })),
  ],
  'the order changes in a way that affects no points': [
    '',
    async (shop, name) => {
      await shop.record(teaFor(name))
      await shop.record(teaFor(name, { total_qty: 4 }))
    },
  ],
}

forEachService((openTestApp) => {
  test('the report and the metrics name exactly the reasons of each deviation', async (t) => {
    const shop = await openShop(t, openTestApp)
    await shop.publish(sourceOf(rulesOf(1)), '2026-01-01T00:00:00Z')
    await shop.price('tea', '4.50')
    await shop.player({ User_id: 'friend', Refercode: 'FRIEND' })
    const expected = new Map<string, number>()
    for (const [name, [reasons, happen]] of Object.entries(HISTORIES_OF)) {
      await shop.player({ User_id: name, Refercode: name })
      const observedBefore = shop.app.observations.length
      await shop.predict(teaFor(name))
      await happen(shop, name)
      expected.set(reasons, (expected.get(reasons) ?? 0) + 1)
      const differed = shop.app.observations.slice(observedBefore).filter((one) => one.kind === 'predictions-differed')
      assert.deepEqual(
        differed.map(({ reasons, count }) => [reasons, count]),
        reasons === '' ? [] : [[reasons, 1]],
        name,
      )
      const { groups } = await shop.report({ from: new Date(shop.clock.ms - 60_000).toISOString(), to: 'infinity' })
      const own = groups.filter(({ examples }) => examples.some(({ orderId }) => orderId === `o-${name}`))
      assert.deepEqual(
        own.map(({ reasons }) => reasons.join('+')),
        reasons === '' ? [] : [reasons],
        name,
      )
    }
    await shop.record(teaFor('friend', { order_id: 'never predicted' }))
    const tables = ['orders', 'entries', 'accounts', 'predictions', 'players', 'programs', 'order_owners']
    const all = () =>
      shop.app.query(
        tables.map((one) => `select '${one}' as t, to_jsonb(x)::text as r from ${one} x`).join(' union all ') +
          ' order by 1, 2',
      )
    const before = await all()
    const report = await shop.report()
    assert.deepEqual(await all(), before, 'the report changes nothing')
    const histories = Object.keys(HISTORIES_OF).length
    const cameTrue = expected.get('')!
    expected.delete('')
    assert.deepEqual(new Map(report.groups.map(({ reasons, orders }) => [reasons.join('+'), orders])), expected)
    const { orders, noneKept, predicted, differed, changedLater, predictions } = report
    assert.deepEqual(
      { orders, noneKept, predicted, cameTrue: report.cameTrue, differed, changedLater, ...predictions },
      {
        orders: histories + 2,
        noneKept: 2,
        predicted: histories,
        cameTrue,
        differed: histories - cameTrue,
        changedLater: 1,
        kept: histories + 2,
        answered: histories + 2,
      },
    )
    const { text } = await send(shop.app.url, 'GET', '/metrics', undefined, {})
    assert.match(text, /^laurel_predictions_differed_total\{reasons="player"\} 2$/m)
    assert.match(text, /^laurel_predictions_differed_total\{reasons="player\+price"\} 1$/m)
    assert.match(text, /^laurel_predictions_differed_total\{reasons="unexplained"\} 0$/m)
  })

  test('a report has all that was recorded by the moment that it names, and nothing that was recorded until it was read', async (t) => {
    const shop = await openShop(t, openTestApp)
    await shop.publish(sourceOf(rulesOf(1)), '2026-01-01T00:00:00Z')
    await shop.price('tea', '4.50')
    await shop.player({})
    const later = teaFor('u-1', { order_id: 'later' })
    for (const order of [teaFor('u-1'), later]) await shop.predict(order)
    const at = (ms: number) => new Date(ms).toISOString()
    const began = shop.clock.ms
    await shop.app.record([teaFor('u-1')])
    shop.clock.ms += 1
    await shop.app.record([later, teaFor('u-1', more)])
    await shop.predict(teaFor('u-1', { order_id: 'not recorded' }))
    const found = async (ms: number) => {
      const { orders, cameTrue, changedLater, predictions } = await shop.report(ALWAYS, at(ms))
      return { orders, cameTrue, changedLater, kept: predictions.kept }
    }
    assert.deepEqual(await found(began - 1), { orders: 0, cameTrue: 0, changedLater: 0, kept: 2 })
    assert.deepEqual(await found(began), { orders: 1, cameTrue: 1, changedLater: 0, kept: 2 })
    assert.deepEqual(await found(began + 1), { orders: 2, cameTrue: 2, changedLater: 1, kept: 3 })
  })

  test('the first state of an order is remembered, however often and in however large requests it changes', async (t) => {
    const shop = await openShop(t, openTestApp)
    await shop.publish(sourceOf(rulesOf(1)), '2026-01-01T00:00:00Z')
    await shop.price('tea', '4.50')
    await shop.player({})
    const many = Array.from({ length: 30 }, (_, index) => `o-${index}`)
    const ordered = (order_id: string, qty: number) =>
      teaFor('u-1', { order_id, products: [{ product_sku_id: 'tea', qty }] })
    for (const id of many) await shop.predict(ordered(id, 10))
    await shop.player({ Name: 'Asha Iyer' })
    await shop.price('tea', '9.00')
    // The second group is the player's first order; all others have orders in between.
    await shop.app.record(many.flatMap((id) => [ordered(id, 10), ordered(id, 20)]))
    await shop.pass()
    for (const qty of [30, 40]) await shop.app.record(many.map((id) => ordered(id, qty)))
    const { groups } = await shop.report()
    assert.deepEqual(
      groups.map(({ reasons, orders }) => [reasons.join('+'), orders]),
      [
        ['player+price', 29],
        ['price', 1],
      ],
    )
  })

  test('a prediction of a change to a recorded order counts nowhere: the report, the metrics and the statistics look at first recordings', async (t) => {
    const shop = await openShop(t, openTestApp)
    await shop.publish(sourceOf(rulesOf(1)), '2026-01-01T00:00:00Z')
    await shop.price('tea', '4.50')
    await shop.player({})
    await shop.predict(teaFor('u-1'))
    await shop.record(teaFor('u-1'))
    await shop.predict(teaFor('u-1', more))
    const large = { order_id: 'large', products: [{ product_sku_id: 'tea', qty: 2_000 }] }
    await shop.record(teaFor('u-1', large))
    await shop.record(teaFor('u-1', more))
    const { predicted, cameTrue, differed, changedLater } = await shop.report()
    assert.deepEqual([predicted, cameTrue, differed, changedLater], [1, 1, 0, 1])
    await assertAgreement(shop)
  })

  test('reasons that were not kept are reported as not known, and a sample says out of how many', async (t) => {
    const shop = await openShop(t, openTestApp)
    await shop.publish(sourceOf(rulesOf(1)), '2026-01-01T00:00:00Z')
    await shop.price('tea', '4.50')
    for (const name of ['old change', 'old prediction', 'old change of a player who moved']) {
      await shop.player({ User_id: name, Refercode: name })
      await shop.predict(teaFor(name))
      if (name.endsWith('moved')) await shop.player({ User_id: name, Refercode: name, State: 'Goa' })
      if (name === 'old prediction') await shop.record(teaFor(name, { ordered_at: '2026-04-30T00:00:00Z' }))
      else for (const qty of [30, 40]) await shop.record(teaFor(name, { products: [{ product_sku_id: 'tea', qty }] }))
    }
    const script =
      'update orders set first_digests = null; update predictions set ordered_at = null, kept = 200, seen = 500'
    await shop.app.service.db.transaction((tx) => tx.script(script), performance.now() + 5_000)
    const { groups, predictions } = await shop.report()
    assert.deepEqual(
      groups.map(({ reasons, orders }) => [reasons.join('+'), orders]),
      [
        ['not-known', 2],
        ['player+not-known', 1],
      ],
    )
    assert.deepEqual(predictions, { kept: 3, answered: 8 })
  })

  test('in generated histories no deviation is unexplained, and the counts of report, metrics and statistics match what was predicted and recorded', async (t) => {
    const shop = await openShop(t, openTestApp)
    for (const sku of ['tea', 'cup']) await shop.price(sku, '4.50')
    let histories = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 60, size: 'max' }), async (steps) => {
        histories += 1
        await takeHistory(shop, `h${histories}.`, steps)
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
    await assertAgreement(shop)
  })
})

// Generated histories.

const who = fc.constantFrom('ann', 'ben')
const conditions = [
  undefined,
  'order.at.getSeconds() % 20 < 10',
  'player.age % 2 == 0',
  'player.orders < 2',
  'player.state == "Goa"',
  'player.level == "Silver"',
  'order.referral_code != ""',
]
const state = fc.record({
  products: fc.array(fc.record({ product_sku_id: fc.constantFrom('tea', 'cup'), qty: fc.nat(20) }), { maxLength: 2 }),
  refferral_code: fc.constantFrom('', 'ann', 'ben'),
  status: fc.constantFrom('placed', 'placed', 'placed', 'cancelled'),
  total_amount: fc.nat(900),
})
const sent = fc.record({
  kind: fc.constantFrom('predict', 'predict', 'as-predicted', 'as-predicted', 'record', 'both'),
  user: who,
  id: fc.nat(1),
  state,
  isDated: fc.constantFrom(true, true, false),
})
const step = fc.oneof(
  { weight: 8, arbitrary: sent },
  fc.record({ kind: fc.constant('price'), sku: fc.constantFrom('tea', 'cup'), price: fc.nat(30) }),
  fc.record({
    kind: fc.constant('player'),
    user: who,
    place: fc.constantFrom('Goa', 'Kerala'),
    code: fc.constantFrom('ann', 'ben'),
  }),
  fc.record({
    kind: fc.constant('program'),
    rules: fc.array(fc.record({ when: fc.constantFrom(...conditions), points: fc.constantFrom(1, 3) }), {
      minLength: 1,
      maxLength: 3,
    }),
    friend: fc.constantFrom(0, 50),
    counts: fc.constantFrom('lifetime', { window: 'P1M' }),
  }),
  fc.record({ kind: fc.constant('days'), days: fc.constantFrom(1, 30, 180) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Seen = { points: number; level: string }

async function takeHistory(shop: Shop, prefix: string, steps: readonly Step[]): Promise<void> {
  const { app, clock } = shop
  const begins = new Date(clock.ms).toISOString()
  for (const user of ['ann', 'ben']) await shop.player({ User_id: prefix + user, Refercode: prefix + user })
  const predictions = new Map<string, Seen>()
  const asked = new Map<string, object>()
  const first = new Map<string, { predicted: Seen | undefined; recorded: Seen }>()
  for (const one of steps) {
    if ('sku' in one) await shop.price(one.sku, String(one.price))
    else if ('place' in one)
      await shop.player({ User_id: prefix + one.user, State: one.place, Refercode: prefix + one.code })
    else if ('rules' in one) {
      const rules = one.rules.flatMap(({ when, points }) => [
        { 'per-amount': { points, every: 10, of: 'catalogue' } },
        { when, fixed: { points } },
      ])
      const { counts, friend } = one
      const ladder = [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 30 },
      ]
      await shop.publish(
        sourceOf(rules, { levels: { counts, ladder }, referral: { friend, referrer: 7, counts: true } }),
      )
    } else if ('days' in one) clock.ms += one.days * 86_400_000
    else {
      const order_id = `${prefix}${one.user}-${one.id}`
      const order = anOrder({
        ...one.state,
        refferral_code: one.state.refferral_code && prefix + one.state.refferral_code,
        order_id,
        user_id: prefix + one.user,
        ...(one.isDated ? { ordered_at: new Date(clock.ms).toISOString() } : {}),
      })
      if (one.kind === 'predict' || one.kind === 'both') {
        asked.set(order_id, order)
        const { total_points, explanation } = await shop.predict(order)
        predictions.set(order_id, { points: total_points, level: explanation.level.after })
      }
      if (one.kind !== 'predict') {
        await shop.record(one.kind === 'as-predicted' ? (asked.get(order_id) ?? order) : order)
        const [entry] = await app.query(
          `select points, explanation -> 'level' ->> 'after' as level from entries where order_id = '${order_id}' and kind = 'order' and revision = 1`,
        )
        if (!first.has(order_id)) first.set(order_id, { predicted: predictions.get(order_id), recorded: entry as Seen })
      }
    }
    clock.ms += 1_000
  }
  await shop.pass(10_000)
  const differed = app.observations.filter((one) => one.kind === 'predictions-differed')
  assert.deepEqual(
    differed.filter(({ reasons }) => reasons.includes('unexplained')),
    [],
  )
  const report = await shop.report({ from: begins, to: 'infinity' })
  assert(!report.groups.some(({ reasons }) => reasons.includes('unexplained')), JSON.stringify(report.groups, shown))
  const now = await app.query(`select order_id, points from orders where order_id like '${prefix}%'`)
  const pointsNow = new Map(now.map(({ order_id, points }) => [order_id, points]))
  const predicted = [...first].filter(([, { predicted }]) => predicted !== undefined)
  const equal = predicted.filter(([, { predicted, recorded }]) => {
    return predicted!.points === recorded.points && predicted!.level === recorded.level
  })
  const changed = equal.filter(([id, { recorded }]) => pointsNow.get(id) !== recorded.points)
  assert.deepEqual(
    [report.orders, report.predicted, report.cameTrue, report.changedLater, report.noneKept],
    [first.size, predicted.length, equal.length, changed.length, first.size - predicted.length],
  )
  const inGroups = report.groups.reduce((sum, { orders }) => sum + orders, 0)
  assert.deepEqual([inGroups, report.differed], [predicted.length - equal.length, predicted.length - equal.length])
}

/** Report, metrics and statistics count the same orders as come true and as differed, and for the same reasons. */
async function assertAgreement({ app, clock, report }: Shop): Promise<void> {
  clock.ms += 10_000 // Answers of the statistics are cached for 5 seconds.
  await app.service.deps.predictions.flush()
  await app.service.deps.activity.flush()
  const { cameTrue, differed, noneKept, groups } = await report()
  const { text } = await send(app.url, 'GET', '/metrics', undefined, {})
  const metricOf = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))!
        .split(' ')[1],
    )
  const to = new Date(clock.ms).toISOString().slice(0, 10)
  const { body } = await app.ask('GET', `/api/admin/statistics/predictions?per=span&from=2020-01-01&to=${to}`)
  const lines: { measure: string; key: string; n: number }[] = body.lines
  const countOf = (measure: string) =>
    lines.filter((line) => line.measure === measure).reduce((sum, { n }) => sum + n, 0)
  const expected = { 'came-true': cameTrue, differed, 'none-kept': noneKept }
  for (const [outcome, orders] of Object.entries(expected)) {
    assert.equal(countOf(outcome), orders, `statistics: ${outcome}`)
    for (const name of ['laurel_predictions_compared_total', 'laurel_promises_total'])
      assert.equal(metricOf(`${name}{outcome="${outcome}"}`), orders, `${name}: ${outcome}`)
  }
  const reasons = new Map(groups.map((group) => [group.reasons.join('+'), group.orders]))
  const told = new Map<string, number>()
  for (const { measure, key, n } of lines) if (measure === 'differed') told.set(key, (told.get(key) ?? 0) + n)
  assert.deepEqual([...told].sort(), [...reasons].sort())
}

const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
