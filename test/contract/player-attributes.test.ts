/*
 * Attributes of players (decision 163).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { backtestProgram } from '../../src/resources/backtests/backtest-program.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { HIDDEN_FROM_RULES } from '../support/left-out.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

const SOURCE = `name: Test
attributes: { player: { vip: yes-no, joined: date }, product: { category: text } }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 10 } }
  - { name: vip, when: player.attributes.vip, fixed: { points: 100 } }
  - { name: old, when: player.attributes.joined < "2026-01-01", fixed: { points: 1000 } }
  - { name: tea, when: line.attributes.category == "tea", fixed: { points: 10000 } }`

const publish = async (app: TestApp, source = SOURCE) => {
  const { status, text } = await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })
  assert.equal(status, 200, text)
}

/** A token with the scope read only. */
const tokenOf = async (app: TestApp): Promise<string> => {
  const { body } = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'viewer', scopes: ['read'] } } })
  return body.token
}

const upserted = async (app: TestApp, players: readonly object[], query = '') => {
  const path = `/api/integration/players?unchanged=true${query}`
  const { status, body, text } = await app.ask('POST', path, { body: { data: players } })
  assert.equal(status, 200, text)
  return [body.inserted, body.updated, body.unchanged]
}

const vip = { vip: true, joined: '2025-03-01' }
const order = (parts: object = {}) => anOrder({ total_amount: 100, discount: 0, products: [], ...parts })

forEachService((openTestApp) => {
  test('players keep attributes until they are sent again, in whatever batch, and unchanged ones are not written', async (t) => {
    const app = await openTestApp(t)
    const shown = async (id = 'u-1') => {
      const { body } = await app.ask('GET', `/api/admin/players/${id}?reveal=true`)
      return [body.attributes, body.participates, body.rev]
    }
    const plain = aPlayer()
    assert.deepEqual(await upserted(app, [aPlayer({ attributes: vip }), aPlayer({ User_id: 'u-2' })]), [2, 0, 0])
    assert.deepEqual(await shown(), [{ joined: '2025-03-01', vip: true }, true, 1])
    assert.deepEqual(await shown('u-2'), [{}, true, 1])
    assert.deepEqual(await upserted(app, [plain]), [0, 1, 1])
    assert.deepEqual(await upserted(app, [aPlayer({ attributes: { joined: '2025-03-01', vip: true } })]), [0, 1, 1])
    assert.deepEqual(await upserted(app, [aPlayer({ participates: false })]), [0, 1, 0])
    assert.deepEqual(await upserted(app, [aPlayer({ Country: 'Nepal' })]), [0, 1, 0])
    assert.deepEqual(await shown(), [{ joined: '2025-03-01', vip: true }, false, 3])
    const changed = aPlayer({ Country: 'Nepal', attributes: { vip: false } })
    assert.deepEqual(await upserted(app, [changed], '&dry_run=true'), [0, 1, 0])
    assert.deepEqual(await upserted(app, [changed]), [0, 1, 0])
    assert.deepEqual(await shown(), [{ vip: false }, false, 4])
    assert.deepEqual(
      await upserted(app, [aPlayer({ Country: 'Nepal', Email: '', attributes: vip })], '&keep_filled=true'),
      [0, 1, 0],
    )
    assert.deepEqual(await upserted(app, [aPlayer({ Country: 'Nepal', attributes: {} })]), [0, 1, 0])
    assert.deepEqual(await upserted(app, [aPlayer({ Country: 'Nepal', attributes: {} })]), [0, 1, 1])
    assert.deepEqual(await shown(), [{}, false, 6])
    // With versions, and several states of one player in a request.
    const state = (State_version: number, attributes?: object) =>
      aPlayer({ User_id: 'u-3', State_version, ...(attributes === undefined ? {} : { attributes }) })
    assert.deepEqual(await upserted(app, [state(1), state(2, vip), state(3)]), [1, 2, 1])
    assert.deepEqual(await shown('u-3'), [{ joined: '2025-03-01', vip: true }, true, 1])
    const many = Array.from({ length: 150 }, (_, index) => aPlayer({ User_id: `p-${index}`, attributes: { index } }))
    assert.deepEqual(await upserted(app, [...many, aPlayer({ User_id: 'p-x' })]), [151, 0, 0])
    assert.deepEqual(await shown('p-149'), [{ index: 149 }, true, 1])
    const stored = await app.query('select count(*)::int as players from players where attributes is not null')
    assert.deepEqual(stored, [{ players: 151 }], 'of the others nothing is stored')
  })

  test('attributes that are too many, too large, nested or badly named reject the record, and other values are ignored', async (t) => {
    const app = await openTestApp(t)
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, 1]))
    const large = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, 'x'.repeat(200)]))
    const cases: [unknown, RegExp][] = [
      [many, /expected at most 32 attributes, got 33\.$/],
      [large, /expected attributes of at most 2048 bytes as JSON, got 2\d\d\d\.$/],
      [{ A: 1 }, /expected names of 1 to 40 lower-case letters.*, got "A"\.$/],
      [{ a: { b: 1 } }, /expected a string, a number with at most 4 decimal places, a boolean.*, got an object\.$/],
    ]
    for (const [attributes, error] of cases) {
      const { body } = await app.ask('POST', '/api/integration/players', { body: { data: [aPlayer({ attributes })] } })
      assert.equal(body.skipped, 1, JSON.stringify(attributes))
      assert.match(body.message, /First: data\[0\]\.attributes: expected/)
      assert.match(body.message, error)
    }
    for (const attributes of [[], 'text', 7, null]) await upserted(app, [aPlayer({ attributes })])
    const { body } = await app.ask('GET', '/api/admin/players/u-1?reveal=true')
    assert.deepEqual([body.attributes, body.rev], [{}, 1])
  })

  test('an order keeps the attributes that its player had at its first recording, under later programs too (decision 163)', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ attributes: vip }), aPlayer({ User_id: 'u-2' })])
    // Recorded under a program that declares none.
    await app.record([order({ order_id: 'before', ordered_at: '2026-01-02T00:00:00Z' })])
    await publish(app)
    const points = async (sent: object) => (await app.predict(sent)).body.total_points
    for (const _ of [1, 2]) assert.equal(await points(order()), 1_110)
    assert.equal(await points(order({ user_id: 'u-2' })), 10, 'without attributes, and without the date')
    await app.record([order()])
    await app.upsertPlayers([aPlayer({ attributes: {} })])
    assert.equal(await points(order({ total_amount: 200 })), 1_120, 'as first recorded')
    assert.equal(await points(order({ order_id: 'o-2' })), 10, 'as of now')
    await app.record([order({ total_amount: 200 })])
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
    const { body } = await app.ask('POST', '/api/admin/simulations', {
      body: { data: { order: order({ order_id: 'before' }), under_version: 2 } },
    })
    assert.equal(body.compared.total_points, 1_110, 'a later program sees what was stored before it')
    const now = app.service.deps.now().toISOString()
    const { tally } = await backtestProgram(app.service.db, { source: SOURCE, now }, () => undefined)
    assert.deepEqual([tally.points.after, tally.unlikeLedger], [1_110n + 1_120n, 0], 'in a backtest, too')
    const [stored] = await app.query("select facts -> 'player' as player from orders where order_id = 'o-1'")
    assert.deepEqual((stored as { player: { attributes: object } }).player.attributes, {
      joined: '2025-03-01',
      vip: true,
    })
  })

  test('a simulation sees the attributes of player and products as the prediction does; without support not those of the player', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ attributes: vip })])
    await app.upsertProducts([aProduct({ product_sku_id: 'A', attributes: { category: 'tea' } })])
    const source = `${SOURCE}\n  - { name: group, when: 'player.group("autumn", 2) > 0', fixed: { points: 100000 } }`
    await publish(app, source)
    const sent = order({ products: [{ product_sku_id: 'A', amount: '100' }] })
    assert.equal((await app.predict(sent)).body.total_points, 111_110)
    const simulated = async (token?: string) => {
      const { body } = await app.ask('POST', '/api/admin/simulations', {
        body: { data: { order: sent } },
        ...(token === undefined ? {} : { headers: { token } }),
      })
      return [body.holds.total_points, body.left_out]
    }
    assert.deepEqual(await simulated(), [111_110, []])
    assert.deepEqual(await simulated(await tokenOf(app)), [10_010, HIDDEN_FROM_RULES])
    await app.record([sent])
    const read = {
      source: source.replace('fixed: { points: 100 }', 'fixed: { points: 200 }'),
      now: app.service.deps.now().toISOString(),
    }
    const { tally } = await backtestProgram(app.service.db, { ...read, leavesOut: true }, () => undefined)
    assert.equal(tally.points.after, 10_010n)
  })

  test('attributes of players are masked unless they are revealed, and an erasure removes them everywhere', async (t) => {
    const app = await openTestApp(t)
    await app.upsertPlayers([aPlayer({ attributes: { segment: 'kochi-tea-lovers' } })])
    await app.record([order()])
    const shown = async (query = '') => (await app.ask('GET', `/api/admin/players/u-1${query}`)).body.attributes
    assert.deepEqual(await shown(), { segment: '•••' })
    assert.deepEqual(await shown('?reveal=true'), { segment: 'kochi-tea-lovers' })
    const { body: page } = await app.ask('GET', '/api/admin/players')
    assert.deepEqual(page.players[0].attributes, { segment: '•••' })
    const kept = await app.ask('GET', '/api/admin/players/u-1/export')
    assert.equal(kept.text.split('kochi-tea-lovers').length - 1, 2, 'the player and what the order saw')
    const erased = await app.ask('POST', '/api/admin/players/u-1/erase', { body: { data: { reason: 'asked' } } })
    assert.equal(erased.status, 200, erased.text)
    assert.deepEqual(await shown('?reveal=true'), {})
    const tables = await app.query(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    for (const { name } of tables as { name: string }[]) {
      const [found] = await app.query(`select count(*)::int as rows from "${name}" t where t::text like '%kochi-tea%'`)
      assert.deepEqual(found, { rows: 0 }, name)
    }
    assert.deepEqual((await verifyLedger(app.service.db, () => undefined)).differences, [])
    await app.ask('POST', '/api/integration/players', { body: { data: [aPlayer({ rejoin: true, attributes: vip })] } })
    assert.deepEqual(await shown('?reveal=true'), vip)
  })
})
