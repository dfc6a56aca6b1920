import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer, aProduct, without } from '../support/builders.ts'
import { forEachService, openTestApp, type Reply } from '../support/test-app.ts'

const counts = ({ body }: Reply) => [body.inserted, body.updated, body.skipped]

forEachService((openTestApp) => {
  test('an upsert answers exactly message and three counts (specification 2.5; decision 47)', async (t) => {
    const app = await openTestApp(t)
    assert.deepEqual((await app.upsertProducts([aProduct()])).body, {
      message: '1 record inserted, 0 records updated, 0 records skipped.',
      inserted: 1,
      updated: 0,
      skipped: 0,
    })
    assert.deepEqual((await app.upsertPlayers([aPlayer(), aPlayer({ User_id: 'u-2', Gender: 'other' }), {}])).body, {
      message:
        '1 record inserted, 0 records updated, 2 records skipped. Skipped user ids: u-2, #2. First: data[1].Gender: expected male or female, got "other".',
      inserted: 1,
      updated: 0,
      skipped: 2,
    })
  })

  test('an empty list is accepted and does nothing (decision 42)', async (t) => {
    const app = await openTestApp(t)
    for (const reply of [await app.upsertPlayers([]), await app.upsertProducts([])]) {
      assert.deepEqual([reply.status, ...counts(reply)], [200, 0, 0, 0])
    }
  })

  test('a product with an equal value is skipped, and a changed one updated (specification 4.3 rule 1; decision 45)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertProducts([aProduct({ amount: '10' })])
    for (const amount of ['10', 10, '10.00', '0010.0000'])
      assert.deepEqual(counts(await app.upsertProducts([aProduct({ amount })])), [0, 0, 1])
    assert.deepEqual(counts(await app.upsertProducts([aProduct({ amount: '10.0001' })])), [0, 1, 0])
    assert.deepEqual(await app.query('select price::text as price, rev from products'), [{ price: '10.0001', rev: 2 }])
  })

  test('an unchanged player counts as updated and is not rewritten (specification 4.2 rule 1; decision 45)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer()])
    assert.deepEqual(counts(await app.upsertPlayers([aPlayer()])), [0, 1, 0])
    assert.deepEqual(await app.query('select rev from players'), [{ rev: 1 }])
    assert.deepEqual(counts(await app.upsertPlayers([aPlayer({ Name: 'Asha R.' })])), [0, 1, 0])
    assert.deepEqual(await app.query('select rev, name from players'), [{ rev: 2, name: 'Asha R.' }])
  })

  test('?unchanged=true adds the number of records that changed nothing, and affects no other count (decisions 45 and 47)', async (t) => {
    const app = await openTestApp(t)
    const sent = [aPlayer(), aPlayer({ User_id: 'u-2' }), {}]
    assert.equal((await app.upsertPlayers(sent, '?unchanged=true')).body.unchanged, 0)
    const again = [aPlayer(), aPlayer({ User_id: 'u-2', Name: 'Asha R.' }), {}]
    const plain = (await app.upsertPlayers(again, '?dry_run=true')).body
    const asked = (await app.upsertPlayers(again, '?dry_run=true&unchanged=true')).body
    assert.deepEqual([plain.inserted, plain.updated, plain.skipped], [0, 2, 1])
    assert.deepEqual(asked, { ...plain, unchanged: 1 })
    await app.upsertProducts([aProduct()])
    const product = (await app.upsertProducts([aProduct(), {}], '?unchanged=true')).body
    assert.deepEqual([product.skipped, product.unchanged], [2, 1])
  })

  test('every value of a player is stored as sent: leading zeros, empty texts, other scripts (decisions 8 and 50)', async (t) => {
    const app = await openTestApp(t)
    const name = ' आशा "\\, {NULL} \u{1F33F}\u0007 '
    await app.upsertPlayers([
      aPlayer({ Name: name, Email: '', District: null, Phone: 912345678, Pincode: '068201', DOB: '29-02-2000' }),
    ])
    const { body } = await app.ask('GET', '/api/admin/players/u-1?reveal=true')
    const { created_at: _, updated_at: __, ...stored } = body
    assert.deepEqual(stored, {
      user_id: 'u-1',
      name,
      email: '',
      phone: '912345678',
      address: '',
      date_of_birth: '2000-02-29',
      gender: 'female',
      refer_code: 'ASHA',
      state: 'Kerala',
      district: '',
      referred_by: '',
      pincode: '068201',
      country: 'India',
      participates: true,
      attributes: {},
      rev: 1,
    })
  })

  test('keys are exact and case-sensitive (decision 40)', async (t) => {
    const app = await openTestApp(t)
    const products = ['85123A', '85123a', ' 85123A', '85123A '].map((product_sku_id) => aProduct({ product_sku_id }))
    assert.deepEqual(counts(await app.upsertProducts(products)), [4, 0, 0])
    assert.deepEqual(
      counts(await app.upsertPlayers(['a', 'A', 'ä', 'a\u0308'].map((User_id) => aPlayer({ User_id })))),
      [4, 0, 0],
    )
  })

  test('records with the same key are counted as if sent one by one, and the last one is stored (decision 40)', async (t) => {
    const app = await openTestApp(t)
    const prices = (...amounts: string[]) => amounts.map((amount) => aProduct({ amount }))
    assert.deepEqual(counts(await app.upsertProducts(prices('1', '1', '2', '2', '3'))), [1, 2, 2])
    assert.deepEqual(counts(await app.upsertProducts(prices('3', '4', '3'))), [0, 2, 1])
    assert.deepEqual(counts(await app.upsertProducts(prices('4', '3', '3'))), [0, 2, 1])
    assert.deepEqual(await app.query('select price::float as price from products'), [{ price: 3 }])
    const named = (...names: string[]) => names.map((Name) => aPlayer({ Name }))
    assert.deepEqual(counts(await app.upsertPlayers(named('A', 'B', 'B', 'A'))), [1, 3, 0])
    assert.deepEqual(await app.query('select name from players'), [{ name: 'A' }])
  })

  test('an invalid record does not stop the others; an unreadable list writes nothing (decision 42)', async (t) => {
    const app = await openTestApp(t)
    const mixed = [aProduct({ product_sku_id: 'a' }), null, 'tea', [], 5, {}, aProduct({ product_sku_id: 'b' })]
    assert.deepEqual(counts(await app.upsertProducts(mixed)), [2, 0, 5])
    const body = `{"data": [${JSON.stringify(aProduct({ product_sku_id: 'c' }))}, `
    for (const broken of [body, `${body}]}`, `${body}{}]} x`]) {
      const reply = await app.ask('POST', '/api/integration/products', { body: broken })
      assert.deepEqual([reply.status, reply.body.path], [400, 'body'])
    }
    for (const data of [null, {}, 'text', 5, true]) {
      const reply = await app.upsertProducts(data)
      assert.deepEqual([reply.status, reply.body.path], [400, 'data'])
    }
    assert.deepEqual(await app.query('select count(*)::int as stored from products'), [{ stored: 2 }])
  })

  test('details=true lists every skipped record with position, key, verdict and reason (decision 47)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertProducts([aProduct()])
    const { body } = await app.upsertProducts(
      [aProduct(), aProduct({ product_sku_id: 'cup', amount: 'x' }), aProduct({ product_sku_id: 'new' })],
      '?details=true',
    )
    assert.deepEqual(body, {
      message:
        '1 record inserted, 0 records updated, 2 records skipped. First: data[1].amount: expected a non-negative number with at most 15 digits and 4 decimal places, got "x".',
      inserted: 1,
      updated: 0,
      skipped: 2,
      results: [
        { position: 0, key: 'tea', verdict: 'unchanged' },
        {
          position: 1,
          key: 'cup',
          verdict: 'invalid',
          path: 'data[1].amount',
          error: 'expected a non-negative number with at most 15 digits and 4 decimal places, got "x"',
        },
      ],
    })
    const many = await app.upsertPlayers(Array(1200).fill({}), '?details=true')
    assert.deepEqual([many.body.results.length, many.body.results_more], [1000, 200])
    assert.match(many.body.message, /#19 and 1180 more\. First: data\[0\]\.Name is required\.$/)
  })

  test('dry_run=true answers the same counts and writes nothing (decision 47)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertProducts([aProduct(), aProduct({ product_sku_id: 'cup' })])
    const batch = [
      aProduct(),
      aProduct({ product_sku_id: 'cup', amount: '9' }),
      aProduct({ product_sku_id: 'new' }),
      aProduct({ product_sku_id: 'new', amount: '1' }),
      {},
    ]
    const dry = await app.upsertProducts(batch, '?dry_run=true')
    assert.match(dry.body.message, /^Dry run: 1 record inserted, 2 records updated, 2 records skipped\. First: /)
    assert.deepEqual(await app.query('select count(*)::int as stored, max(rev) as rev from products'), [
      { stored: 2, rev: 1 },
    ])
    assert.deepEqual(counts(await app.upsertProducts(batch)), counts(dry))
  })

  test('keep_filled=true keeps what is stored where a field is empty, in any sequence of records (decision 123)', async (t) => {
    const app = await openTestApp(t)
    await app.ask('PUT', '/api/admin/settings', { body: { data: { 'players.required': 'Name' } } })
    const texts = ['', 'a\tb\\', 'é\n', '\\N']
    const fields = {
      Phone: fc.constantFrom('', '+911', '912'),
      Add: fc.constantFrom(...texts),
      DOB: fc.constantFrom('', '01-02-1990', '03-04-1991'),
      District: fc.constantFrom(...texts),
    }
    const player = fc.record(fields, { requiredKeys: [] }).map((some) => ({ Name: 'Asha', ...some }))
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(player, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
        async (requests) => {
          round += 1
          const stored: Record<string, string> = {}
          for (const request of requests) {
            const sent = request.map((one) => ({ ...one, User_id: `u-${round}` }))
            const dry = (await app.upsertPlayers(sent, '?dry_run=true&keep_filled=true&unchanged=true')).body
            const { message, ...counted } = (await app.upsertPlayers(sent, '?keep_filled=true&unchanged=true')).body
            assert.deepEqual(dry, { message: `Dry run: ${message}`, ...counted })
            for (const one of request)
              for (const [field, value] of Object.entries(one)) stored[field] = value || stored[field] || ''
          }
          const [found] = await app.query(
            `select phone as "Phone", address as "Add", coalesce(to_char(date_of_birth, 'DD-MM-YYYY'), '') as "DOB", district as "District"
           from players where user_id = 'u-${round}'`,
          )
          const { Phone = '', Add = '', DOB = '', District = '' } = stored
          assert.deepEqual(found, requests.length === 0 ? undefined : { Phone, Add, DOB, District })
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a stale state fills nothing, and a player as it is stored counts as unchanged (decisions 71 and 123)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ Phone: '1', Add: '', State_version: 5 })])
    const sent = [
      aPlayer({ Phone: '', Add: 'stale', State_version: 4 }),
      aPlayer({ Phone: '', Add: '', State_version: 6 }),
    ]
    const { body } = await app.upsertPlayers(sent, '?keep_filled=true&unchanged=true&details=true')
    assert.deepEqual([body.updated, body.unchanged, body.results[0].verdict], [1, 1, 'stale'])
    assert.deepEqual(await app.query('select phone, address, state_version::int as v from players'), [
      { phone: '1', address: '', v: 6 },
    ])
    assert.deepEqual(counts(await app.upsertPlayers([aPlayer({ Phone: '' })])), [0, 1, 0])
    assert.deepEqual(
      await app.query('select phone from players'),
      [{ phone: '' }],
      'without it, the record replaces the player',
    )
  })

  test('concurrent requests for the same keys all succeed, and each key ends up with a value that was sent', async (t) => {
    const app = await openTestApp(t)
    const batch = (name: string, order: 1 | -1) => {
      const players = Array.from({ length: 1500 }, (_, index) => aPlayer({ User_id: `u-${index}`, Name: name }))
      return order === 1 ? players : players.reverse()
    }
    const replies = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name, index) => app.upsertPlayers(batch(name, index % 2 === 0 ? 1 : -1))),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    assert.equal(
      replies.reduce((sum, { body }) => sum + body.inserted, 0),
      1500,
    )
    assert.deepEqual(
      await app.query("select count(*)::int as stored, bool_and(name in ('A', 'B', 'C', 'D')) as known from players"),
      [{ stored: 1500, known: true }],
    )
  })
})

test('Email may be absent or empty; Refercode is required and may be empty (decision 50)', async (t) => {
  const app = await openTestApp(t)
  const good = [
    without(aPlayer(), 'Email'),
    aPlayer({ Email: '' }),
    aPlayer({ Email: null }),
    aPlayer({ Refercode: '' }),
    ...['RefBy', 'Add', 'District', 'Phone'].flatMap((field) => [without(aPlayer(), field), aPlayer({ [field]: '' })]),
  ]
  const { body } = await app.upsertPlayers(good, '?details=true')
  assert.deepEqual(body.results, [])
})

test('a date of birth must be DD-MM-YYYY, exist, and lie between 1900 and today (decision 50)', async (t) => {
  const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00Z') })
  const inserted = async (DOB: unknown) =>
    (await app.upsertPlayers([aPlayer({ User_id: String(DOB), DOB })])).body.inserted
  for (const good of ['01-01-1900', '29-02-2024', '01-06-2026']) assert.equal(await inserted(good), 1, good)
  for (const bad of [
    '31-12-1899',
    '29-02-2023',
    '02-06-2026',
    '31-04-2000',
    '2000-01-31',
    '1-1-2000',
    '01/01/2000',
    '',
    5,
    ' 01-01-2000',
    '01-01-2000\n',
  ]) {
    assert.equal(await inserted(bad), 0, String(bad))
  }
})

test('a request with more records than the limit is refused as a whole (decision 6)', async (t) => {
  const app = await openTestApp(t, { env: { BATCH_RECORDS_MAX: '3' } })
  assert.equal((await app.upsertProducts(Array(3).fill(aProduct()))).status, 200)
  const { status, body } = await app.upsertProducts(Array(4).fill(aProduct({ product_sku_id: 'new' })))
  assert.deepEqual([status, body.path], [413, 'data'])
  assert.deepEqual(await app.query('select count(*)::int as stored from products'), [{ stored: 1 }])
})

test('predictions are answered during a large upsert (decision 42)', async (t) => {
  const app = await openTestApp(t)
  const players = Array.from({ length: 20_000 }, (_, index) => aPlayer({ User_id: `u-${index}` }))
  let isUpserting = true
  const upsert = app.upsertPlayers(players).finally(() => {
    isUpserting = false
  })
  let answered = 0
  while (isUpserting) {
    assert.equal((await app.predict(anOrder())).status, 200)
    answered += 1
  }
  assert.deepEqual(counts(await upsert), [20_000, 0, 0])
  assert(answered > 5, `only ${answered} predictions were answered`)
})
