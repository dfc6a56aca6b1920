import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlayer } from '../support/builders.ts'
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
})
