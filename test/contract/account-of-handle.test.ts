import assert from 'node:assert/strict'
import { test } from 'node:test'
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
