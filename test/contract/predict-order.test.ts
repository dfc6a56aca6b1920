import assert from 'node:assert/strict'
import test from 'node:test'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { forEachService, openTestApp } from '../support/test-app.ts'

forEachService((openTestApp) => {
  test('a prediction answers exactly message and total_points (specification 2.2 and 4.1; decision 29)', async (t) => {
    const app = await openTestApp(t)
    const reply = await app.predict(anOrder())
    assert.equal(reply.status, 200)
    assert.match(reply.headers['content-type'] ?? '', /^application\/json/)
    assert.deepEqual(reply.body, { message: 'You will earn 120 points and stay at Bronze.', total_points: 120 })
  })

  test('GET, POST and QUERY get the same answer, byte for byte, which may not be cached (decision 1)', async (t) => {
    const app = await openTestApp(t)
    for (const body of [{ data: anOrder() }, { data: anOrder({ total_amount: 'x' }) }]) {
      const replies = await Promise.all(
        ['GET', 'POST', 'QUERY'].map((method) => app.ask(method, '/api/predictions/orders?explain=true', { body })),
      )
      assert.deepEqual(new Set(replies.map(({ text }) => text)).size, 1)
      assert.deepEqual(new Set(replies.map(({ status }) => status)).size, 1)
      for (const { headers } of replies) {
        assert.equal(headers['cache-control'], 'no-store')
        assert.equal(headers['accept-query'], 'application/json')
      }
    }
  })

  test('an order with an unknown player and unknown products is predicted, and nothing is stored (decisions 21 and 23)', async (t) => {
    const app = await openTestApp(t)
    const { body } = await app.predict(anOrder(), '?explain=true')
    assert.equal(body.explanation.level.before, 'Bronze')
    assert.deepEqual(body.explanation.notes, [
      { kind: 'unknown-product', text: 'product tea is not in the catalogue', line: 0, sku: 'tea' },
    ])
    assert.deepEqual(
      await app.query('select (select count(*)::int from players) + (select count(*)::int from products) as stored'),
      [{ stored: 0 }],
    )
  })

  test('a price that differs from the catalogue is noted, and the price of the order counts (decision 21)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertProducts([aProduct({ amount: '500' })])
    await app.upsertPlayers([aPlayer()])
    const { body } = await app.predict(anOrder(), '?explain=true')
    assert.equal(body.total_points, 120)
    assert.deepEqual(
      body.explanation.notes.map(({ kind, text }: { kind: string; text: string }) => [kind, text]),
      [['price-differs', 'product tea has amount 1200, 1000 by catalogue price']],
    )
  })

  test('many concurrent predictions each get their own answer', async (t) => {
    const app = await openTestApp(t)
    const totals = Array.from({ length: 200 }, (_, index) => index * 10)
    const replies = await Promise.all(
      totals.map((total) => app.predict(anOrder({ user_id: `u-${total}`, total_amount: total }))),
    )
    assert.deepEqual(
      replies.map(({ body }) => body.total_points),
      totals.map((total) => total / 10),
    )
  })
})

test('explain=true adds the reasons, which add up to total_points (docs/programs.md)', async (t) => {
  const app = await openTestApp(t)
  const { body } = await app.predict(anOrder({ total_amount: 5234, products: [] }), '?explain=true')
  assert.deepEqual(body, {
    message: 'You will earn 523 points and be upgraded to Silver.',
    total_points: 523,
    explanation: {
      earned: [{ rule: 'base', points: '523.4', because: { net: '5234', points: '1', every: '10' } }],
      not_applied: [],
      rounding: '-0.4',
      level: { before: 'Bronze', after: 'Silver', upgraded: true, counted: 523, next: { name: 'Gold', missing: 1477 } },
      notes: [],
      program: { version: 1, name: 'Starter' },
    },
  })
  assert.deepEqual((await app.predict(anOrder(), '?explain=false')).body, (await app.predict(anOrder())).body)
})

test('a request without a body gets an error that explains the likely cause (decision 1)', async (t) => {
  const app = await openTestApp(t)
  for (const headers of [
    {},
    { 'content-type': 'application/json' },
    { 'content-type': 'application/json', 'content-length': '0' },
  ]) {
    const { status, body } = await app.ask('GET', '/api/predictions/orders', { headers })
    assert.equal(status, 400)
    assert.equal(body.path, 'body')
    assert.match(body.error, /client or proxy.*use POST instead of GET/)
  }
})

test('whole numbers may be bare or quoted, from 0 to 2^53-1 (decisions 9 and 20)', async (t) => {
  const app = await openTestApp(t)
  const good: [unknown, number][] = [
    [1200, 120],
    ['1200', 120],
    ['0001200', 120],
    [0, 0],
    ['9007199254740991', 900719925474099],
    [900000000000000, 90000000000000],
    [1e3, 100],
  ]
  for (const [total_amount, points] of good)
    assert.equal((await app.predict(anOrder({ total_amount }))).body.total_points, points, String(total_amount))
  const bad = [
    '9007199254740992',
    9007199254740992,
    9007199254740991,
    1e20,
    '1e3',
    '-1',
    -1,
    '+1',
    ' 1',
    '1 ',
    '',
    '1.0',
    1.5,
    '0x1',
    true,
    [],
    {},
    null,
  ]
  for (const total_amount of bad) {
    const { status, body } = await app.predict(anOrder({ total_amount }))
    assert.deepEqual([status, body.path], [400, 'data.total_amount'], String(total_amount))
  }
  assert.match((await app.predict(anOrder({ total_amount: 9007199254740991 }))).body.error, /send it as a string/)
})

test('products may be a list or a text that holds one, of 0 to 1,000 lines (decision 21)', async (t) => {
  const app = await openTestApp(t)
  const line = { product_sku_id: 'tea', amount: '10', qty: '1' }
  for (const products of [[], [line], JSON.stringify([line]), '[]', Array(1000).fill(line)]) {
    assert.equal((await app.predict(anOrder({ products }))).status, 200)
  }
  for (const products of [
    {},
    'tea',
    '',
    '{}',
    '[',
    5,
    true,
    Array(1001).fill(line),
    `${'['.repeat(40)}${']'.repeat(40)}`,
  ]) {
    const { status, body } = await app.predict(anOrder({ products }))
    assert.deepEqual([status, body.path], [400, 'data.products'])
  }
})

test('each field of a line is optional; a line with neither amount nor catalogue price counts as 0 and is noted (decision 21)', async (t) => {
  const app = await openTestApp(t)
  const { body } = await app.predict(
    anOrder({ products: [{}, { qty: 2.5 }, { product_sku_id: null, amount: '1.2345' }] }),
    '?explain=true',
  )
  assert.deepEqual(
    body.explanation.notes.map(({ kind, line }: { kind: string; line: number }) => [kind, line]),
    [
      ['no-price', 0],
      ['no-price', 1],
    ],
  )
  const bad: [object, string][] = [
    [{ product_sku_id: '' }, 'product_sku_id'],
    [{ product_sku_id: 5 }, 'product_sku_id'],
    [{ amount: '1.23456' }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ qty: 'two' }, 'qty'],
    [{ qty: -1 }, 'qty'],
  ]
  for (const [line, field] of bad) {
    for (const products of [[{}, line], JSON.stringify([{}, line])]) {
      assert.equal((await app.predict(anOrder({ products }))).body.path, `data.products[1].${field}`)
    }
  }
  assert.equal((await app.predict(anOrder({ products: [{}, 'tea'] }))).body.path, 'data.products[1]')
})

test('a discount above the amount leaves a net amount of 0 (decision 20)', async (t) => {
  const app = await openTestApp(t)
  assert.equal((await app.predict(anOrder({ total_amount: 100, discount: 101 }))).body.total_points, 0)
  assert.equal((await app.predict(anOrder({ total_amount: 100, discount: 50 }))).body.total_points, 5)
})

test('the message says which level the order reaches (decision 29)', async (t) => {
  const app = await openTestApp(t)
  const message = async (total_amount: number) => (await app.predict(anOrder({ total_amount }))).body.message
  assert.equal(await message(10), 'You will earn 1 point and stay at Bronze.')
  assert.equal(await message(4999), 'You will earn 499 points and stay at Bronze.')
  assert.equal(await message(5000), 'You will earn 500 points and be upgraded to Silver.')
  assert.equal(await message(100_000), 'You will earn 10000 points and be upgraded to Platinum.')
})

test('status and ordered_at are read: a cancelled order earns nothing, and a time in the future is refused (decision 30)', async (t) => {
  const now = new Date('2026-06-01T12:00:00Z')
  const app = await openTestApp(t, { now: () => now })
  assert.equal((await app.predict(anOrder({ status: 'cancelled' }))).body.total_points, 0)
  assert.equal(
    (await app.predict(anOrder({ status: 'placed', ordered_at: '2026-06-01T14:04:00+02:00' }))).body.total_points,
    120,
  )
  const bad = [
    '2026-06-01T12:06:00Z',
    '2026-06-01',
    '2026-02-30T12:00:00Z',
    'yesterday',
    5,
    '2026-06-01T25:00:00Z',
    '2026-06-01T12:00:00',
  ]
  for (const ordered_at of bad)
    assert.equal((await app.predict(anOrder({ ordered_at }))).body.path, 'data.ordered_at', String(ordered_at))
  assert.equal((await app.predict(anOrder({ status: 'lost' }))).body.path, 'data.status')
})

test('subscript_points is validated, and has no effect under the starter program (decision 31)', async (t) => {
  const app = await openTestApp(t)
  for (const subscript_points of [true, false, 'true', 'false', null]) {
    assert.equal((await app.predict(anOrder({ subscript_points }))).body.total_points, 120)
  }
  for (const subscript_points of ['yes', 1, 'TRUE', '']) {
    assert.equal((await app.predict(anOrder({ subscript_points }))).body.path, 'data.subscript_points')
  }
})

test('an order that would earn more than 2^53-1 points is refused (decision 20)', async (t) => {
  const app = await openTestApp(t)
  const generous = `name: Generous
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 100, every: 1 } }]`
  assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source: generous } } })).status, 200)
  const { status, body } = await app.predict(anOrder({ total_amount: '9007199254740991' }))
  assert.deepEqual([status, body.path], [400, 'data.total_amount'])
  assert.equal((await app.predict(anOrder({ total_amount: '90071992547409' }))).status, 200)
})
