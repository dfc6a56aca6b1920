/*
 * What people change, when the response to COMMIT never comes: each operation makes its change once, writes its audit record once, and answers as
 * if nothing had happened.
 */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { ACT_KINDS, type ActKind } from '../../src/audit-log/acts.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { serversAt } from '../support/cluster.ts'
import { forEachDatabase, type OpenTestDb, openOnServer, testDatabase } from '../support/databases.ts'
import { createInterceptor, LOSING } from '../support/intercepting.ts'
import { openAppOn, type Reply, send, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const now = () => new Date('2026-06-01T12:00:00Z')
const post = (app: TestApp, path: string, data: object = {}) => app.ask('POST', path, { body: { data } })

async function answered(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, text, body } = await reply
  assert.equal(status, 200, text)
  return body
}

/** `n` is another one each time. */
type Step<T> = (app: TestApp, n: number) => Promise<T>

type Operation = Readonly<{
  /** The kind of its audit record; undefined: none is written. */
  act: ActKind | undefined
  /** Makes what the operation is about; returns what the request names it by. */
  given?: Step<string>
  run: (app: TestApp, subject: string) => Promise<Reply>
  /** The same request again, or another one that changes nothing: its status. */
  nothingLeft?: number
}>

const aToken: Step<Reply['body']> = (app, n) =>
  answered(post(app, '/api/admin/tokens', { name: `token ${n}`, scopes: ['read'] }))
const aTokenId: Step<string> = async (app, n) => (await aToken(app, n)).id

function signIn({ url }: TestApp, data: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'x-laurel-console': '1', 'sec-fetch-site': 'same-origin' }
  return send(url, 'POST', '/api/console/session', Buffer.from(JSON.stringify({ data })), headers)
}

const aProgram = (app: TestApp, name: string) =>
  post(app, '/api/admin/programs', { source: STARTER_PROGRAM.replace('Starter', name), from: '2027-01-01T00:00:00Z' })

const anAdjustment: Step<string> = async (app, n) => {
  await answered(post(app, '/api/players/u-1/adjustments', { id: `gift ${n}`, points: 5, counts: false, reason: 'r' }))
  return `gift ${n}`
}

const forget = (noun: string) => (app: TestApp, id: string) =>
  post(app, `/api/admin/state-versions/${noun}/${id}/forget`)

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'create a token': {
    act: 'token-created',
    run: (app) => post(app, '/api/admin/tokens', { name: 'new', scopes: ['read'] }),
  },
  'revoke a token': {
    act: 'token-revoked',
    given: aTokenId,
    run: (app, id) => post(app, `/api/admin/tokens/${id}/revoke`),
    nothingLeft: 200,
  },
  'rotate a token': {
    act: 'token-rotated',
    given: aTokenId,
    run: (app, id) => post(app, `/api/admin/tokens/${id}/rotate`),
    nothingLeft: 404,
  },
  'rotate a token with an overlap': {
    act: 'token-rotated',
    given: aTokenId,
    run: (app, id) => post(app, `/api/admin/tokens/${id}/rotate?overlap=1h`),
  },
  'sign in with a token': {
    act: 'signed-in',
    given: async (app, n) => (await aToken(app, n)).token,
    run: (app, token) => signIn(app, { token }),
  },
  'sign in with a link': {
    act: 'signed-in',
    given: async (app, n) =>
      (await answered(post(app, '/api/admin/sign-in-codes', { token_id: await aTokenId(app, n) }))).code,
    run: (app, code) => signIn(app, { code }),
    nothingLeft: 401,
  },
  'end a session': {
    act: 'session-ended',
    given: async (app, n) => (await answered(signIn(app, { token: (await aToken(app, n)).token }))).session.id,
    run: (app, id) => app.ask('DELETE', `/api/admin/sessions/${id}`),
    nothingLeft: 404,
  },
  'change a setting': {
    act: 'settings-changed',
    given: async (app) => {
      await answered(app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': null } } }))
      return 'EUR'
    },
    run: (app, currency) => app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': currency } } }),
  },
  'reset a setting': {
    act: 'settings-changed',
    given: async (app) => {
      await answered(app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': 'EUR' } } }))
      return ''
    },
    run: (app) => app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': null } } }),
    nothingLeft: 200,
  },
  'publish a program': {
    act: 'program-published',
    given: async (_, n) => `Program ${n}`,
    run: aProgram,
  },
  'withdraw a program': {
    act: 'program-withdrawn',
    given: async (app, n) => String((await answered(aProgram(app, `Program ${n}`))).version),
    run: (app, version) => post(app, `/api/admin/programs/${version}/withdraw`),
    nothingLeft: 200,
  },
  "forget an order's version": {
    act: 'version-forgotten',
    given: async (app, n) => {
      await answered(app.record([anOrder({ order_id: `o-${n}`, products: [], state_version: 5 })]))
      return `o-${n}`
    },
    run: forget('order'),
    nothingLeft: 200,
  },
  "forget a player's version": {
    act: 'version-forgotten',
    given: async (app, n) => {
      await answered(app.upsertPlayers([aPlayer({ User_id: `v-${n}`, State_version: 5 })]))
      return `v-${n}`
    },
    run: forget('player'),
    nothingLeft: 200,
  },
  "forget a product's version": {
    act: 'version-forgotten',
    given: async (app, n) => {
      await answered(app.upsertProducts([aProduct({ product_sku_id: `sku-${n}`, state_version: 5 })]))
      return `sku-${n}`
    },
    run: forget('product'),
    nothingLeft: 200,
  },
  'adjust a player': {
    act: 'player-adjusted',
    given: async (_, n) => `bonus ${n}`,
    run: (app, id) => post(app, '/api/players/u-1/adjustments', { id, points: 5, counts: false, reason: 'r' }),
    nothingLeft: 200,
  },
  'undo an adjustment': {
    act: 'adjustment-undone',
    given: anAdjustment,
    run: (app, id) => post(app, `/api/players/u-1/adjustments/${encodeURIComponent(id)}/undo`, { reason: 'r' }),
    nothingLeft: 200,
  },
  'import balances': {
    act: 'balances-imported',
    given: async (_, n) => `opening ${n}`,
    run: (app, id) =>
      post(app, '/api/admin/balances?details=true', [{ user_id: 'u-1', id, points: 5, counts: false, reason: 'r' }]),
    nothingLeft: 200,
  },
  'save a draft': {
    act: undefined,
    given: (app, n) => aDraft(app, n),
    run: (app, id) =>
      app.ask('PUT', `/api/admin/drafts/${id}`, { body: { data: { name: 'Saved', source: '', revision: 1 } } }),
    nothingLeft: 409,
  },
  'delete a draft': {
    act: 'draft-deleted',
    given: (app, n) => aDraft(app, n),
    run: (app, id) => app.ask('DELETE', `/api/admin/drafts/${id}`),
    nothingLeft: 404,
  },
  'reveal a player': {
    act: 'player-revealed',
    run: (app) => app.ask('GET', '/api/admin/players/u-1?reveal=true'),
  },
  'export a player': {
    act: 'player-exported',
    run: (app) => app.ask('GET', '/api/admin/players/u-1/export?limit=1'),
  },
  'erase a player': {
    act: 'player-erased',
    given: async (app) => {
      await answered(app.upsertPlayers([{ ...aPlayer({ User_id: 'gone', Refercode: '' }), rejoin: true }]))
      return 'gone'
    },
    run: (app, id) => post(app, `/api/admin/players/${id}/erase`, { reason: 'r' }),
    nothingLeft: 200,
  },
  'reveal an order': {
    act: 'order-revealed',
    run: (app) => app.ask('GET', '/api/admin/orders/o-1?reveal=true'),
  },
  "reveal a job's result": {
    act: 'result-revealed',
    given: async (app, n) => {
      const id = String(n).padStart(12, '0')
      const job = `insert into jobs (job_id, kind, state, request, asked_by, asked_at, result)
        values ($1::text, 'verify', 'done', '{}', 'service', '2026-06-01T12:00:00Z',
          '{"players":0,"orders":0,"entries":"0","erased":0,"differing":0,"differences":[]}')`
      await app.service.db.transaction((tx) => tx.query(job, [id]), performance.now() + 60_000)
      return id
    },
    run: (app, id) => app.ask('GET', `/api/admin/jobs/${id}?reveal=true`),
  },
}

const aDraft: Step<string> = async (app, n) =>
  (await answered(post(app, '/api/admin/drafts', { name: `Draft ${n}`, source: STARTER_PROGRAM }))).id

const OPERATION_LIST = Object.entries(OPERATIONS)

/** What another request does between the COMMIT of an operation and its next attempt, and what must be left of that. */
const SINCE_COMMIT = [
  ...['sign in with a token', 'sign in with a link'].map((name) => ({
    name,
    meanwhile: 'delete from sessions',
    select: 'select count(*)::int as left from sessions',
    expected: 0,
  })),
  {
    name: 'change a setting',
    meanwhile: `update settings set value = '"USD"'`,
    select: 'select value::text as left from settings',
    expected: '"USD"',
  },
  {
    name: 'reset a setting',
    meanwhile: `insert into settings (key, value, changed_at, changed_by) values ('money.currency', '"USD"', now(), 'x')`,
    select: 'select value::text as left from settings',
    expected: '"USD"',
  },
  ...(['order', 'player', 'product'] as const).map((noun) => ({
    name: `forget ${noun === 'order' ? 'an' : 'a'} ${noun}'s version`,
    meanwhile: `update ${noun}s set state_version = 7`,
    select: `select count(*)::int as left from ${noun}s where state_version is null`,
    expected: 0,
  })),
]

/** How many rows there are of everything that the operations write. */
const FIGURES = `
  select
    (select json_object_agg(act, n) from (select act, count(*)::int as n from acts group by act) as kinds)::text as acts,
    (select count(*)::int from tokens) as tokens,
    (select count(*)::int from tokens where revoked_at is null) as kept_tokens,
    (select count(*)::int from sessions) as sessions,
    (select count(*)::int from sign_in_codes where used_by is not null) as used_codes,
    (select count(*)::int from programs) as programs,
    (select count(*)::int from programs where withdrawn_at is not null) as withdrawn,
    (select count(*)::int from settings) as settings,
    (select count(*)::int from drafts) as drafts,
    (select coalesce(sum(revision), 0)::int from drafts) as revisions_of_drafts,
    (select count(*)::int from orders where state_version is not null) as versions_of_orders,
    (select count(*)::int from players where state_version is not null) as versions_of_players,
    (select count(*)::int from products where state_version is not null) as versions_of_products,
    (select count(*)::int from entries) as entries`

type Figures = Readonly<Record<string, number>>

async function figuresOf(app: TestApp): Promise<Figures> {
  const [{ acts, ...figures }] = (await app.query(FIGURES)) as [Record<string, number> & { acts: never }]
  return { ...figures, ...(JSON.parse(acts ?? '{}') as Record<string, number>) }
}

function difference(after: Figures, before: Figures): Figures {
  const names = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0))
  return Object.fromEntries(names.map((name) => [name, after[name]! - (before[name] ?? 0)]))
}

/** A response without what is random or counted in it. */
function masked({ status, text }: Reply, subject: string): string {
  const ids = /laurel_[\w-]+|\b[0-9a-f]{12}\b|("version":)?\b\d+\b/g
  return `${status} ${text.replaceAll(subject || '\0', 'SUBJECT').replace(ids, 'ID')}`
}

/** `prepare` is told what occurs in the statements of the operation, and in no others. */
type Prepare = (about: string) => Promise<unknown>

/** Runs an operation on a subject of its own: the response, what it has changed, and which audit records it has written. */
async function outcomeOf({ act, given, run }: Operation, app: TestApp, n: number, prepare?: Prepare) {
  const subject = (await given?.(app, n)) ?? ''
  const before = await figuresOf(app)
  await prepare?.(act ?? subject)
  const response = masked(await run(app, subject), subject)
  const changed = difference(await figuresOf(app), before)
  return { subject, response, changed, records: Object.entries(changed).filter(([name]) => KINDS.has(name)) }
}

const KINDS: ReadonlySet<string> = new Set(ACT_KINDS)
const oneRecordOf = ({ act }: Operation) => (act === undefined ? [] : [[act, 1]])

async function openApp(t: TestContext, openTestDb: OpenTestDb) {
  const interceptor = createInterceptor()
  const app = await openAppOn(t, (test) => openTestDb(test, { through: interceptor.through }), { now })
  await app.upsertPlayers([aPlayer()])
  await app.record([anOrder({ products: [] })])
  return { app, interceptor }
}

test('the operations of these tests write every kind of audit record', () => {
  const kinds = new Set(Object.values(OPERATIONS).flatMap(({ act }) => act ?? []))
  assert.deepEqual([...kinds].sort(), [...ACT_KINDS].sort())
})

forEachDatabase((_, openTestDb) => {
  for (const end of ['before', 'after'] as const)
    test(`a change is made once, recorded once and answered the same if the connection is lost ${end} COMMIT (decision 133)`, async (t) => {
      const { app, interceptor } = await openApp(t, openTestDb)
      const differing: Record<string, unknown> = {}
      for (const [index, [name, operation]] of OPERATION_LIST.entries()) {
        const calm = await outcomeOf(operation, app, 2 * index)
        assert.deepEqual(calm.records, oneRecordOf(operation), name)
        const own = await outcomeOf(operation, app, 2 * index + 1, async (about) =>
          interceptor.next({ about, at: 'commit' }, LOSING[end]),
        )
        assert.equal(interceptor.waiting(), 0, name)
        if (!isDeepStrictEqual([own.response, own.changed], [calm.response, calm.changed]))
          differing[name] = { own, calm }
      }
      assert.deepEqual(differing, {})
    })

  test('an operation that changes nothing writes no audit record (decision 133)', async (t) => {
    const { app } = await openApp(t, openTestDb)
    const written: string[] = []
    const assertIdle = async (name: string, status: number, ask: () => Promise<Reply>) => {
      const before = await figuresOf(app)
      const reply = await ask()
      assert.equal(reply.status, status, `${name}: ${reply.text}`)
      if (Object.keys(difference(await figuresOf(app), before)).length > 0) written.push(name)
    }
    for (const [index, [name, operation]] of OPERATION_LIST.entries()) {
      const { subject } = await outcomeOf(operation, app, index)
      const { nothingLeft } = operation
      if (nothingLeft !== undefined) await assertIdle(name, nothingLeft, () => operation.run(app, subject))
    }
    await assertIdle('change no setting', 200, () => app.ask('PUT', '/api/admin/settings', { body: { data: {} } }))
    assert.deepEqual(written, [])
  })

  test('what others have changed since a lost COMMIT stays, and is not changed a second time (decision 133)', async (t) => {
    const { app, interceptor } = await openApp(t, openTestDb)
    const left: Record<string, unknown> = {}
    for (const [index, { name, meanwhile, select }] of SINCE_COMMIT.entries()) {
      const operation = OPERATIONS[name]!
      const { records } = await outcomeOf(operation, app, index, async (about) =>
        interceptor.next({ about, at: 'commit' }, async (commit, session) => {
          await commit()
          await session.query(meanwhile)
          return LOSING.before()
        }),
      )
      assert.equal(interceptor.waiting(), 0, name)
      assert.deepEqual(records, oneRecordOf(operation), name)
      left[name] = (await app.query(select))[0]?.left
    }
    assert.deepEqual(left, Object.fromEntries(SINCE_COMMIT.map(({ name, expected }) => [name, expected])))
  })
})

/**
 * Triggers that keep the COMMIT of a change waiting for a lock that the test holds. They have no time limit, and the server does not notice meanwhile that
 * the client is gone: it looks once a second, which a busy machine may take for a retry.
 */
const KEEP_COMMITS_WAITING = `
  create function keep_waiting() returns trigger language plpgsql
    set lock_timeout = 0 set client_connection_check_interval = 0 as
    $$ begin perform pg_advisory_xact_lock_shared(133); return null; end $$;
  create constraint trigger keep_waiting after insert on acts deferrable initially deferred
    for each row execute function keep_waiting();
  create constraint trigger keep_waiting after update or delete on drafts deferrable initially deferred
    for each row execute function keep_waiting()`
const WAITING = `
  select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

test('a retry waits for its earlier attempt that is still being committed, and answers as that one did (decision 133)', async (t) => {
  const url = await testDatabase(t)
  const { app, interceptor } = await openApp(t, (test, options) => openOnServer(test, url, options))
  const other = await connectedTo(t, url)
  await other.query(KEEP_COMMITS_WAITING)
  const differing: Record<string, unknown> = {}
  // On a cluster, a retry may wait on another server than the first attempt.
  const everywhere = await Promise.all((await serversAt(url)).map((server) => connectedTo(t, server)))
  const areWaiting = (n: number) => async () => {
    const counts = await Promise.all(everywhere.map((client) => client.query<{ n: number }>(WAITING)))
    return counts.reduce((sum, { rows }) => sum + rows[0]!.n, 0) === n
  }
  const keepWaiting = async (about: string) => {
    await other.query('select pg_advisory_lock(133)')
    interceptor.next({ about, at: 'commit' }, async (commit) => {
      commit().catch(() => undefined)
      await eventually('COMMIT waits', areWaiting(1))
      void eventually('the retry waits too', areWaiting(2)).then(() => other.query('select pg_advisory_unlock(133)'))
      return LOSING.before()
    })
  }
  for (const [index, [name, operation]] of OPERATION_LIST.entries()) {
    const calm = await outcomeOf(operation, app, 2 * index)
    const own = await outcomeOf(operation, app, 2 * index + 1, keepWaiting)
    if (!isDeepStrictEqual([own.response, own.changed], [calm.response, calm.changed])) differing[name] = { own, calm }
  }
  assert.deepEqual(differing, {})
})

async function connectedTo(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  t.after(() => client.end())
  return client
}
