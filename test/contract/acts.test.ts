/*
 * The audit log of acts: written in the transaction of the act itself, without personal data, and never changed.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'

type Act = Readonly<{ act: string; subject: string; name: string | null; by: string; detail: Record<string, unknown> }>

const actsOf = async (app: TestApp, query = ''): Promise<readonly Act[]> =>
  (await app.ask('GET', `/api/admin/audit-log${query}`)).body.entries

forEachService((openTestApp) => {
  test('every act of a person is logged once, and only if it changes something: who did what to what, without personal data (decision 133)', async (t) => {
    let ms = Date.parse('2026-06-01T12:00:00Z')
    // Each act a little later, so that their order is known.
    const now = () => {
      ms += 1
      return new Date(ms)
    }
    const app = await openTestApp(t, { now })
    const made = await app.ask('POST', '/api/admin/tokens', { body: { data: { name: 'asha', scopes: ['admin'] } } })
    const ask = (method: string, path: string, data?: unknown) =>
      app.ask(method, path, { headers: { token: made.body.token }, ...(data === undefined ? {} : { body: { data } }) })
    const person = { Name: 'Canary One', Email: 'canary@example.com', Phone: '9847054321', Add: 'Canary Lane' }
    await app.upsertPlayers([
      aPlayer({ User_id: '9847054321', ...person }),
      aPlayer({ User_id: 'u-2', State_version: 5 }),
    ])
    await app.record([anOrder({ user_id: '9847054321' })])

    const adjustment = { id: 'a-1', points: 5, counts: false, reason: 'for Canary' }
    await ask('POST', '/api/players/9847054321/adjustments', adjustment)
    await ask('POST', '/api/players/9847054321/adjustments', adjustment)
    assert.equal((await ask('POST', '/api/players/9847054321/adjustments', { ...adjustment, points: 6 })).status, 400)
    const opening = [{ user_id: 'u-2', ...adjustment }, { user_id: 'nobody', ...adjustment }, {}]
    await ask('POST', '/api/admin/balances', opening)
    await ask('POST', '/api/admin/balances', opening)
    await ask('POST', '/api/admin/balances', opening.slice(1))
    await ask('POST', '/api/admin/balances?dry_run=true', [{ user_id: 'u-2', ...adjustment, id: 'a-2' }])
    await ask('GET', '/api/admin/players/9847054321?reveal=true')
    await ask('GET', '/api/admin/players/9847054321')
    await ask('POST', '/api/admin/players/search?reveal=true', { user_id: 'u-2' })
    await ask('GET', '/api/admin/orders/o-1?reveal=true')
    await ask('POST', '/api/admin/state-versions/player/u-2/forget')
    for (const currency of ['EUR', 'EUR'])
      await ask('PUT', '/api/admin/settings', { 'money.currency': currency, 'players.phone': null })
    const draft = await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Canary', source: 'x' } } })
    await ask('DELETE', `/api/admin/drafts/${draft.body.id}`)
    assert.equal((await ask('DELETE', `/api/admin/drafts/${draft.body.id}`)).status, 404)
    const published = await ask('POST', '/api/admin/programs', {
      source: STARTER_PROGRAM,
      from: '2030-01-01T00:00:00Z',
    })
    assert.equal((await ask('POST', '/api/admin/programs', { source: 'name: x' })).status, 400)
    await ask('POST', '/api/admin/programs/2/withdraw')
    await ask('POST', '/api/admin/programs/2/withdraw')
    const other = await ask('POST', '/api/admin/tokens', { name: 'Canary Two', scopes: ['read'] })
    const next = await ask('POST', `/api/admin/tokens/${other.body.id}/rotate`)
    for (const _ of [1, 2]) await ask('POST', `/api/admin/tokens/${next.body.id}/revoke`)
    assert.equal((await ask('POST', '/api/admin/tokens/000000000000/revoke')).status, 404)

    const acts = (await actsOf(app)).toReversed()
    const [nine, two] = ['9847054321', 'u-2'].map(app.service.deps.handles.of)
    assert.deepEqual(
      acts.slice(1).map(({ act, subject, detail }) => [act, subject, detail]),
      [
        ['player-adjusted', nine, { id: 'a-1', points: 5 }],
        ['balances-imported', 'balances', { records: 1 }],
        ['player-revealed', nine, {}],
        ['player-revealed', two, {}],
        ['order-revealed', 'o-1', { user_id: nine }],
        ['version-forgotten', two, { noun: 'player' }],
        ['settings-changed', 'money.currency', { 'money.currency': 'EUR' }],
        ['draft-deleted', draft.body.id, {}],
        ['program-published', '2', { from: published.body.from }],
        ['program-withdrawn', '2', {}],
        ['token-created', other.body.id, { scopes: ['read'], expires_at: null }],
        ['token-rotated', other.body.id, { replaced_by: next.body.id }],
        ['token-revoked', next.body.id, {}],
      ],
    )
    assert.deepEqual([acts[0]!.act, acts[0]!.name], ['token-created', null])
    for (const { by, name } of acts.slice(1)) assert.deepEqual([by, name], [made.body.id, 'asha'])
    assert.doesNotMatch(JSON.stringify(acts), /canary|9847054321/i)
  })

  test('acts are listed by page, newest first, even with equal times, and as CSV (decision 133)', async (t) => {
    const app = await openTestApp(t, { now: () => new Date('2026-06-01T12:00:00Z') })
    await app.upsertPlayers(
      Array.from({ length: 5 }, (_, n) => aPlayer({ User_id: `u-${n}`, Email: 'same@example.com' })),
    )
    await app.ask('POST', '/api/admin/players/search?reveal=true', { body: { data: { email: 'same@example.com' } } })
    const seen: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const { body } = await app.ask('GET', `/api/admin/audit-log?limit=2${after === '' ? '' : `&after=${after}`}`)
      assert(body.entries.length <= 2)
      seen.push(...body.entries.map(({ subject }: Act) => subject))
      after = body.after
    }
    assert.deepEqual(seen.map(app.service.deps.handles.idIn).sort(), ['u-0', 'u-1', 'u-2', 'u-3', 'u-4'])
    const { body: mine } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'b', scopes: ['support'] } },
    })
    await app.ask('GET', '/api/admin/players/u-3?reveal=true', { headers: { token: mine.token } })
    const filtered = async (query: string) =>
      (await actsOf(app, `?${query}`)).map(({ act, subject }) => `${act} ${app.service.deps.handles.idIn(subject)}`)
    assert.deepEqual(await filtered(`by=${mine.id}`), ['player-revealed u-3'])
    const { body: next } = await app.ask('POST', `/api/admin/tokens/${mine.id}/rotate?overlap=1h`)
    await app.ask('GET', '/api/admin/players/u-4?reveal=true', { headers: { token: next.token } })
    assert.deepEqual((await filtered('by=b')).sort(), ['player-revealed u-3', 'player-revealed u-4'])
    assert.deepEqual(await filtered('by=B'), [])
    assert.deepEqual(await filtered('act=token-created'), [`token-created ${mine.id}`])
    assert.deepEqual(await filtered(`by=${mine.id}&act=token-created`), [])
    assert.equal((await filtered('act=player-revealed')).length, 7)
    const first = await app.ask('GET', '/api/admin/audit-log?act=player-revealed&limit=5')
    assert.equal((await filtered(`act=player-revealed&after=${first.body.after}`)).length, 2)
    for (const wrong of ['act=x', 'act=', 'by='])
      assert.equal((await app.ask('GET', `/api/admin/audit-log?${wrong}`)).body.path, `query.${wrong.split('=')[0]}`)
    const csv = await app.ask('GET', '/api/admin/audit-log?limit=1&act=player-revealed', {
      headers: { accept: 'text/csv' },
    })
    assert.match(
      csv.text,
      /^at,by,name,act,subject,detail\r\n2026-06-01T12:00:00\.000Z,\w{12},b?,player-revealed,player~[\w-]+,\{\}\r\n$/,
    )
    const cursors = ['2026-99-99', '2026-02-30', '0000-01-01'].map((day) =>
      Buffer.from(`${day}T12:00:00.000Zabcdefghijkl`).toString('base64url'),
    )
    for (const wrong of ['x', 'AAAA', ...cursors]) {
      const { status, body } = await app.ask('GET', `/api/admin/audit-log?after=${wrong}`)
      assert.deepEqual([status, body.path], [400, 'query.after'])
    }
  })
})

test('personal data is not shown if that act cannot be logged (decision 133)', async (t) => {
  const app = await openTestApp(t)
  await app.upsertPlayers([aPlayer()])
  await app.service.db.transaction((tx) => tx.query('alter table acts rename to gone'), performance.now() + 60_000)
  const { status, text } = await app.ask('GET', '/api/admin/players/u-1?reveal=true')
  assert.equal(status, 500)
  assert(!text.includes('asha'))
  assert.equal((await app.ask('GET', '/api/admin/players/u-1')).status, 200)
  await app.service.db.transaction((tx) => tx.query('alter table gone rename to acts'), performance.now() + 60_000)
})

test('only an erasure changes an act, for an ID that is replaced, and only one statement deletes acts, the oldest before a moment (decision 133)', () => {
  const statements = globSync('src/{ledger,audit-log,bulk,resources}/**/*.sql').map((path) =>
    readFileSync(path, 'utf8'),
  )
  assert(statements.length > 20)
  for (const sql of statements) assert.doesNotMatch(sql, /\b(?:truncate|drop table)\s+acts\b/i)
  const changing = statements.flatMap((sql) => sql.match(/^update acts set .*/gim) ?? [])
  assert.deepEqual(
    changing.map((sql) => sql.replace(/=.*/, '').trim()),
    ['update acts set subject'],
  )
  const deleting = statements
    .flatMap((sql) => sql.split('-- name: '))
    .filter((sql) => /\bdelete from\s+acts\b/i.test(sql))
  assert.deepEqual(
    deleting.map((sql) => sql.split('\n')[0]),
    ['acts-delete'],
  )
  assert.match(deleting[0]!, /select at, act_id from acts where at < \$1::timestamptz order by at, act_id limit/)
})
