import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder, aPlayer, without } from '../support/builders.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const put = (app: TestApp, data: object) => app.ask('PUT', '/api/admin/settings', { body: { data } })
const set = async (app: TestApp, data: object) => {
  const { status, text } = await put(app, data)
  assert.equal(status, 200, text)
}
const shown = async (app: TestApp): Promise<Record<string, unknown>> => {
  const { body } = await app.ask('GET', '/api/admin/settings')
  return Object.fromEntries(body.settings.map(({ key, value }: { key: string; value: unknown }) => [key, value]))
}
/** The fault reported for one player; undefined if it is accepted. */
const fault = async (app: TestApp, player: object, query = '?details=true&dry_run=true') => {
  const { body } = await app.upsertPlayers([player], query)
  const [result] = body.results
  return result && { field: result.path?.replace('data[0].', ''), error: result.error }
}
const stored = async (app: TestApp, id = 'u-1') => (await app.ask('GET', `/api/admin/players/${id}?reveal=true`)).body

const DEFAULTS = {
  'money.currency': null,
  'money.point-value': null,
  'players.required': ['Name', 'DOB', 'Gender', 'State', 'Pincode', 'Country', 'Refercode'],
  'players.genders': ['male', 'female'],
  'players.pincode': 'digits',
  'players.phone': 'digits',
  'players.dates': ['DD-MM-YYYY'],
  'players.erase-after': 'never',
  'audit-log.keep': 'forever',
  'sources.keep': 'P400D',
}

forEachService((openTestApp) => {
  test('a shop without settings has the defaults of the specification, and reset restores them (decision 70)', async (t) => {
    const app = await openTestApp(t)
    assert.deepEqual(await shown(app), DEFAULTS)
    await set(app, { 'players.genders': ['diverse'], 'money.currency': 'EUR' })
    assert.deepEqual(await shown(app), { ...DEFAULTS, 'players.genders': ['diverse'], 'money.currency': 'EUR' })
    await set(app, { 'players.genders': null })
    assert.deepEqual(await shown(app), { ...DEFAULTS, 'money.currency': 'EUR' })
    const { body } = await app.ask('GET', '/api/admin/settings')
    const [currency, value] = body.settings
    assert.match(currency.changed_at, /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual([currency.default, value.changed_at, value.changed_by], [null, null, null])
    for (const player of [aPlayer({ Gender: 'diverse' }), without(aPlayer(), 'DOB'), aPlayer({ Pincode: 'SW1A 1AA' })])
      assert.notEqual(await fault(app, player), undefined, JSON.stringify(player))
  })

  test('each change is logged with who made it (decision 70)', async (t) => {
    const app = await openTestApp(t)
    const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'boss', scopes: ['admin'] } } })
    const data = { 'players.phone': 'lenient', 'players.required': 'Name,Country' }
    const reply = await app.ask('PUT', '/api/admin/settings', { body: { data }, headers: { token: body.token } })
    assert.equal(reply.body.settings.find(({ key }: { key: string }) => key === 'players.phone').changed_by, body.id)
    assert.deepEqual(
      app.observations.filter(({ kind }) => kind === 'settings-changed'),
      [
        {
          kind: 'settings-changed',
          changes: { 'players.phone': 'lenient', 'players.required': ['Name', 'Country'] },
          by: body.id,
        },
      ],
    )
  })

  test('an unknown setting or an invalid value changes nothing, and the error says what is expected (decision 70)', async (t) => {
    const app = await openTestApp(t)
    const cases: [object, string, RegExp][] = [
      [{ 'players.genderz': ['x'] }, 'data.players.genderz', /^unknown setting, expected one of money\.currency, /],
      [{ toString: 'x' }, 'data.toString', /^unknown setting/],
      [{ 'money.currency': 'euro' }, 'data.money.currency', /^expected an ISO 4217 currency code like EUR, got "euro"/],
      [{ 'money.point-value': '0' }, 'data.money.point-value', /^expected the value of a point, like 0\.01, got "0"$/],
      [
        { 'money.point-value': '0.00001' },
        'data.money.point-value',
        /^expected a non-negative number with at most 15 digits/,
      ],
      [{ 'players.required': 'Name,Email' }, 'data.players.required', /^expected any of Name, DOB, Gender, /],
      [{ 'players.required': 5 }, 'data.players.required', /^expected any of Name, DOB, /],
      [{ 'players.genders': [] }, 'data.players.genders', /^expected 1 to 20 genders like female,male,diverse/],
      [{ 'players.genders': ['a\tb'] }, 'data.players.genders', /^expected 1 to 20 genders/],
      [{ 'players.pincode': 'letters' }, 'data.players.pincode', /^expected digits or text, got "letters"$/],
      [
        { 'audit-log.keep': 'P1D' },
        'data.audit-log.keep',
        /^expected P30D, P1M or longer, like P13M, or forever, got /,
      ],
      [{ 'sources.keep': null, 'audit-log.keep': 'never' }, 'data.audit-log.keep', /^expected P30D, P1M or longer/],
      [{ 'players.phone': 'any' }, 'data.players.phone', /^expected digits or lenient, got "any"$/],
      [
        { 'players.dates': 'YYYY-MM-DD' },
        'data.players.dates',
        /^expected DD-MM-YYYY, or DD-MM-YYYY,YYYY-MM-DD for both, /,
      ],
    ]
    for (const [data, path, error] of cases) {
      const { status, body } = await put(app, { 'money.currency': 'USD', ...data })
      assert.deepEqual([status, body.path], [400, path], JSON.stringify(data))
      assert.match(body.error, error)
    }
    assert.equal((await put(app, [])).body.error, 'expected an object of settings by key')
    assert.deepEqual(await shown(app), DEFAULTS)
  })

  test('settings can be read with the scope read, and changed with admin (decision 70)', async (t) => {
    const app = await openTestApp(t)
    const scopes = ['predict', 'players', 'products', 'orders', 'read']
    const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'shop', scopes } } })
    const headers = { token: body.token }
    assert.equal((await app.ask('GET', '/api/admin/settings', { headers })).status, 200)
    assert.equal((await app.ask('PUT', '/api/admin/settings', { headers, body: { data: {} } })).status, 401)
  })

  test('genders, pincodes, phones and dates are each read according to their own setting (decision 70)', async (t) => {
    const app = await openTestApp(t)
    const players = {
      'players.genders': aPlayer({ Gender: 'divers x' }),
      'players.pincode': aPlayer({ Pincode: 'SW1A 1AA' }),
      'players.phone': aPlayer({ Phone: '+44 (0)20 7946-0958.' }),
      'players.dates': aPlayer({ DOB: '1990-01-31' }),
    }
    const values = {
      'players.genders': ['female', 'divers x'],
      'players.pincode': 'text',
      'players.phone': 'lenient',
      'players.dates': 'DD-MM-YYYY,YYYY-MM-DD',
    }
    for (const [key, value] of Object.entries(values)) {
      await set(app, { [key]: value })
      for (const [other, player] of Object.entries(players))
        assert.equal((await fault(app, player)) === undefined, other === key, `${key}: ${JSON.stringify(player)}`)
      assert.equal(await fault(app, aPlayer()), undefined, 'a record valid before is still valid')
      await set(app, { [key]: null })
    }
    await set(app, values)
    const all = Object.assign(
      {},
      ...Object.values(players).map(({ Gender, Pincode, Phone, DOB }) => ({
        ...(Gender === 'female' ? {} : { Gender }),
        ...(Pincode === '068201' ? {} : { Pincode }),
        ...(Phone === '0912345678' ? {} : { Phone }),
        ...(DOB === '31-01-1990' ? {} : { DOB }),
      })),
    )
    const { body } = await app.upsertPlayers([aPlayer(all), aPlayer({ User_id: 'u-2', Pincode: 68201 })])
    assert.deepEqual([body.inserted, body.skipped], [2, 0], body.message)
    const { gender, pincode, phone, date_of_birth } = await stored(app)
    assert.deepEqual([gender, pincode, phone, date_of_birth], ['divers x', 'SW1A 1AA', '+4402079460958', '1990-01-31'])
    assert.equal((await stored(app, 'u-2')).pincode, '68201')
    const bad: [object, string, RegExp][] = [
      [{ DOB: '1990-02-31' }, 'DOB', /^expected a date that exists, DD-MM-YYYY or YYYY-MM-DD, got "1990-02-31"$/],
      [{ DOB: '1990/01/31' }, 'DOB', /^expected a date DD-MM-YYYY or YYYY-MM-DD, got "1990\/01\/31"$/],
      [{ Phone: '020 ext 7' }, 'Phone', /^expected 1 to 15 digits with an optional leading \+, ignoring blanks, /],
      [{ Pincode: 'SW1A\t1AA' }, 'Pincode', /^expected a string without control characters or backslashes, got /],
      [{ Pincode: ' ' }, 'Pincode', /^expected a non-blank string, got " "$/],
      [{ Gender: 'male' }, 'Gender', /^expected female or divers x, got "male"$/],
    ]
    for (const [parts, field, error] of bad) {
      const found = await fault(app, aPlayer(parts))
      assert.equal(found?.field, field, JSON.stringify(parts))
      assert.match(found.error, error)
    }
  })

  test('optional fields may be absent, null or empty; they are stored as empty texts, and a birth date as null (decision 70)', async (t) => {
    const app = await openTestApp(t)
    await set(app, { 'players.required': [] })
    const only = { User_id: 'u-1' }
    const empty = { Name: '', DOB: '', Gender: '', State: '', Pincode: '', Country: '', Refercode: '' }
    const nothing = Object.fromEntries(Object.keys(empty).map((name) => [name, null]))
    // Many are written by COPY, few by parameters.
    const many = Array.from({ length: 150 }, (_, index) => ({ User_id: `m-${index}` }))
    assert.equal((await app.upsertPlayers(many)).body.inserted, 150)
    assert.equal((await app.upsertPlayers([only])).body.inserted, 1)
    for (const player of [
      { ...only, ...empty },
      { ...only, ...nothing },
    ])
      assert.deepEqual((await app.upsertPlayers([player], '?details=true')).body.updated, 1)
    for (const id of ['u-1', 'm-7']) {
      const { name, date_of_birth, gender, state, pincode, country, refer_code, rev } = await stored(app, id)
      assert.deepEqual(
        [name, date_of_birth, gender, state, pincode, country, refer_code, rev],
        ['', null, '', '', '', '', '', 1],
      )
    }
    assert.deepEqual(await app.query('select count(*)::int as without from players where date_of_birth is null'), [
      { without: 151 },
    ])
    await app.upsertPlayers([aPlayer()])
    assert.equal((await stored(app)).date_of_birth, '1990-01-31')
    await app.upsertPlayers([only])
    assert.deepEqual([(await stored(app)).date_of_birth, (await stored(app)).rev], [null, 3])
    assert.equal((await fault(app, { ...only, DOB: 'x' }))?.field, 'DOB', 'a value that is there is still checked')
    assert.equal((await fault(app, {}))?.field, 'User_id')
    await set(app, { 'players.required': 'Country' })
    assert.deepEqual(await fault(app, only), { field: 'Country', error: 'Country is required' })
  })

  test('for a player without a birth date rules on age do not apply, with the reason; other missing fields are empty texts (decision 70)', async (t) => {
    const app = await openTestApp(t)
    await set(app, { 'players.required': [] })
    const source = `name: Test
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 10 } }
  - { name: grown, when: player.age >= 18, fixed: { points: 1000 } }
  - { name: young, when: "!(player.age >= 18)", fixed: { points: 1000 } }
  - { name: unnamed, when: 'player.gender == "" && player.state == ""', fixed: { points: 5 } }`
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    await app.upsertPlayers([{ User_id: 'u-1' }])
    const { body } = await app.predict(anOrder({ total_amount: 100 }), '?explain=true')
    assert.equal(body.total_points, 15)
    for (const rule of ['grown', 'young']) {
      const found = body.explanation.not_applied.find((one: { rule: string }) => one.rule === rule)
      assert.match(found.why, /cannot be evaluated for this order \(.*age/)
    }
    assert.equal((await app.record([anOrder({ total_amount: 100 })])).body.inserted, 1)
    await app.upsertPlayers([aPlayer({ Gender: 'male' })])
    assert.equal(
      (await app.predict(anOrder({ total_amount: 100 }))).body.total_points,
      15,
      'the first recorded facts are kept',
    )
  })
})
