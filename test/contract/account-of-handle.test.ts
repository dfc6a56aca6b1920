import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService } from '../support/test-app.ts'

forEachService((openTestApp) => {
  test('a token that may show accounts learns from a handle neither id nor name (decision 218)', async (t) => {
    const app = await openTestApp(t)
    const id = '9847054321'
    await app.upsertPlayers([aPlayer({ User_id: id, Name: 'Canary' })])
    const { body } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'both', scopes: ['read', 'account'] } },
    })
    const show = (name: string) => app.ask('GET', `/api/players/${name}`, { headers: { token: body.token } })
    const handle = app.service.deps.handles.of(id)
    const byHandle = await show(handle)
    assert.deepEqual([byHandle.status, byHandle.body.user_id], [200, handle])
    assert.doesNotMatch(byHandle.text, /Canary|9847054321/)
    const byId = await show(id)
    assert.deepEqual([byId.body.user_id, byId.body.name], [id, 'Canary'])
  })

  test('only a token with the scope support may ask by the beginning of an id, and no record is stored under a handle (decision 218)', async (t) => {
    const app = await openTestApp(t)
    assert.equal((await app.upsertPlayers([aPlayer({ User_id: 'u-1' })])).body.inserted, 1)
    const { body } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'viewer', scopes: ['read'] } },
    })
    const list = (headers: object) => app.ask('GET', '/api/admin/players?prefix=u', { headers: { ...headers } })
    assert.equal((await list({ token: body.token })).status, 401)
    assert.equal((await list({})).body.players.length, 1)
    const handle = app.service.deps.handles.of('u-1')
    for (const id of [handle, 'player~', 'player~1']) {
      const player = await app.upsertPlayers([aPlayer({ User_id: id })])
      assert.match(player.text, /expected an identifier without the prefix player~ \(reserved for handles\)/)
      const order = await app.record([anOrder({ user_id: id })])
      assert.deepEqual([order.body.inserted, order.body.skipped], [0, 1])
    }
    assert.equal((await list({})).body.players.length, 1)
    const [{ count }] = (await app.query('select count(*)::int as count from orders')) as [{ count: number }]
    assert.equal(count, 0)
  })

  test('explanations of an order name no referral code to a token with read alone (decision 218)', async (t) => {
    let now = '2026-06-01T12:00:00.000Z'
    const app = await openTestApp(t, { now: () => new Date(now) })
    const program = {
      source: `${STARTER_PROGRAM}referral: { friend: 50, referrer: 100 }\n`,
      from: '2026-06-01T12:01:00Z',
    }
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: program } })).status, 200)
    now = '2026-06-01T13:00:00.000Z'
    await app.upsertPlayers(['u-1', 'u-2', 'u-3'].map((User_id) => aPlayer({ User_id, Refercode: 'CANARY' })))
    await app.record([
      anOrder({ refferral_code: 'CANARY' }),
      anOrder({ order_id: 'o-2', user_id: 'u-2', refferral_code: 'CANARY-2' }),
    ])
    const { body } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'viewer', scopes: ['read'] } },
    })
    const headers = { token: body.token }
    const player = `/api/players/${app.service.deps.handles.of('u-1')}`
    for (const path of ['/api/admin/orders/o-1', '/api/admin/orders/o-2', player]) {
      const reply = await app.ask('GET', `${path}?explain=true`, { headers })
      assert.equal(reply.status, 200)
      assert.match(reply.text, /referral code: •••/)
      assert.doesNotMatch(reply.text, /CANARY/)
    }
    assert.match((await app.ask('GET', '/api/admin/orders/o-1?explain=true')).text, /referral code: CANARY/)
  })

  test('a handle of the longest id is taken by a route, a filter, a search and a simulation (decision 218)', async (t) => {
    const app = await openTestApp(t)
    const id = '長'.repeat(200)
    assert.equal((await app.upsertPlayers([aPlayer({ User_id: id })])).body.inserted, 1)
    assert.equal((await app.record([anOrder({ user_id: id, order_id: 'o-1' })])).status, 200)
    const { body } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'viewer', scopes: ['read'] } },
    })
    const handle = app.service.deps.handles.of(id)
    const headers = { token: body.token }
    const search = { body: { data: { user_id: handle } }, headers }
    const simulated = { body: { data: { order: { user_id: handle, total_amount: 50 } } }, headers }
    const replies = [
      await app.ask('GET', `/api/admin/players/${handle}`, { headers }),
      await app.ask('GET', `/api/admin/orders?user_id=${handle}`, { headers }),
      await app.ask('GET', `/api/admin/orders?referrer_id=${handle}`, { headers }),
      await app.ask('POST', '/api/admin/players/search', search),
      await app.ask('POST', '/api/admin/simulations', simulated),
    ]
    for (const { status, text } of replies) assert.equal(status, 200, text)
    const [player, orders, , found] = replies.map((reply) => reply.body)
    assert.deepEqual([player.user_id, orders.orders.length, found.players.length], [handle, 1, 1])
  })
})
