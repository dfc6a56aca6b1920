/*
 * Programs before they are published: their faults, their changes, and drafts edited by several people.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { forEachService, openTestApp, type TestApp } from '../support/test-app.ts'

const post = (app: TestApp, path: string, data: unknown) => app.ask('POST', path, { body: { data } })
const check = async (app: TestApp, data: unknown) => (await post(app, '/api/admin/programs/check', data)).body

forEachService((openTestApp) => {
  test('a draft is stored as written, updated at its revision, and deleted', async (t) => {
    let now = new Date('2026-06-01T12:00:00Z')
    const app = await openTestApp(t, { now: () => now })
    const texts = { name: '<b>Summer</b> \u2028', source: 'name: [\n\t"</script>', cases: '' }
    const { body: made } = await post(app, '/api/admin/drafts', { ...texts, based_on: 1 })
    assert.deepEqual(
      { ...made, id: '', created_by: '', changed_by: '' },
      {
        ...{ id: '', ...texts, based_on: 1, revision: 1, created_by: '', changed_by: '' },
        ...{ created_at: now.toISOString(), changed_at: now.toISOString() },
      },
    )
    now = new Date('2026-06-01T12:01:00Z')
    const path = `/api/admin/drafts/${made.id}`
    const change = { name: 'Autumn', source: STARTER_PROGRAM, revision: 1 }
    const { body: changed } = await app.ask('PUT', path, { body: { data: change } })
    assert.deepEqual(changed, {
      ...made,
      name: 'Autumn',
      source: STARTER_PROGRAM,
      revision: 2,
      changed_at: now.toISOString(),
    })
    assert.deepEqual((await app.ask('GET', path)).body, changed)
    const { source: _, cases: __, ...listed } = changed
    assert.deepEqual((await app.ask('GET', '/api/admin/drafts')).body, { drafts: [listed] })
    assert.equal((await app.ask('DELETE', path)).status, 200)
    for (const [method, data] of [['GET'], ['DELETE'], ['PUT', { ...change, revision: 2 }]] as const) {
      const { status, body } = await app.ask(method, path, data === undefined ? {} : { body: { data } })
      assert.deepEqual([status, body], [404, { error: `draft ${made.id} not found` }], method)
    }
  })

  test('if two people change the same draft, the second is shown the change of the first, and nothing is lost', async (t) => {
    const app = await openTestApp(t)
    const tokens = await Promise.all(
      ['asha', 'ravi'].map(async (name) => (await post(app, '/api/admin/tokens', { name, scopes: ['program'] })).body),
    )
    const { body: draft } = await post(app, '/api/admin/drafts', { name: 'Summer', source: 'name: Summer' })
    const replies = await Promise.all(
      tokens.map(({ id, token }) =>
        app.ask('PUT', `/api/admin/drafts/${draft.id}`, {
          headers: { token },
          body: { data: { name: 'Summer', source: `name: of ${id}`, revision: 1 } },
        }),
      ),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
    const won = replies.findIndex(({ status }) => status === 200)
    const { body: lost } = replies[1 - won]!
    assert.equal(lost.path, 'data.revision')
    assert.match(lost.error, /^another user changed this draft: it is at revision 2, /)
    assert.deepEqual(
      [lost.theirs.source, lost.theirs.changed_by, lost.theirs.revision],
      [`name: of ${tokens[won]!.id}`, tokens[won]!.id, 2],
    )
    assert.deepEqual((await app.ask('GET', `/api/admin/drafts/${draft.id}`)).body, lost.theirs)
  })

  test('a draft cannot be based on a version, or changed at a revision, above 2147483647', async (t) => {
    const app = await openTestApp(t)
    const draft = { name: 'x', source: '' }
    const { body: made } = await post(app, '/api/admin/drafts', { ...draft, based_on: 2_147_483_647 })
    assert.equal(made.based_on, 2_147_483_647)
    const refusals = [
      await post(app, '/api/admin/drafts', { ...draft, based_on: 2_147_483_648 }),
      await app.ask('PUT', `/api/admin/drafts/${made.id}`, { body: { data: { ...draft, revision: '2147483648' } } }),
    ]
    assert.deepEqual(
      refusals.map(({ status, body }) => [status, body.path, body.error]),
      [
        [400, 'data.based_on', 'expected an integer between 0 and 2147483647, got 2147483648'],
        [400, 'data.revision', 'expected an integer between 0 and 2147483647, got "2147483648"'],
      ],
    )
  })

  test('at most 100 drafts are kept', async (t) => {
    const app = await openTestApp(t)
    await app.service.db.transaction(
      (tx) =>
        tx.query(`insert into drafts (draft_id, name, source, cases, revision, created_at, created_by, changed_at, changed_by)
          select 'd-' || n, 'x', '', '', 1, now(), '', now(), '' from generate_series(1, 99) n`),
      performance.now() + 60_000,
    )
    assert.equal((await post(app, '/api/admin/drafts', { name: 'x', source: '' })).status, 200)
    const { status, body } = await post(app, '/api/admin/drafts', { name: 'x', source: '' })
    assert.deepEqual([status, body.path], [400, 'data'])
    assert.match(body.error, /^draft limit \(100\) reached/)
  })
})

test('a program is checked as for publishing, and every fault comes with its line and column', async (t) => {
  const app = await openTestApp(t)
  assert.deepEqual(await check(app, { source: STARTER_PROGRAM }), {
    ...{ name: 'Starter', faults: [], case_faults: [], cases: [], untried: [], warnings: [] },
  })
  const source = STARTER_PROGRAM.replace('points: 1,', 'points: -1,').replace('rounding: floor', 'rounding: up')
  const { name, faults } = await check(app, { source })
  assert.equal(name, null)
  const read = readProgramText(source)
  assert('issues' in read)
  assert.deepEqual(faults, read.issues)
  assert.equal(faults.length, 2)
  for (const { path, line, column } of read.issues) {
    const rest = source.split('\n')[line! - 1]!.slice(column! - 1)
    assert.match(rest, path === 'rounding' ? /^up/ : /^-1/, path)
  }
  const [broken] = (await check(app, { source: 'name: x\nearn: [\n' })).faults
  assert.deepEqual([broken.path, broken.line >= 2, broken.column >= 1], ['', true, true])
})

test('a program is tried on test orders, with mismatches, their reasons, and rules that no case covers', async (t) => {
  const app = await openTestApp(t)
  const source = `${STARTER_PROGRAM}referral: { friend: 5, referrer: 7 }\n`
  const cases = `cases:
  - name: good
    orders: [{ total_amount: 100, expect: { points: 10, level: Bronze } }]
  - name: bad
    orders: [{ total_amount: 100, expect: { points: 11 } }]
`
  const { case_faults, cases: tried, untried } = await check(app, { source, cases })
  assert.deepEqual([case_faults, untried], [[], ['referral']])
  assert.deepEqual(
    tried.map(({ name, as_expected }: Record<string, unknown>) => [name, as_expected]),
    [
      ['good', true],
      ['bad', false],
    ],
  )
  const [order] = tried[1].orders
  assert.deepEqual(order.mismatches, [{ what: 'points', expected: '11', actual: '10' }])
  assert.deepEqual([order.total_points, order.explanation.earned[0].points], [10, '10'])
  const faulty = await check(app, { source, cases: 'cases:\n  - name: x\n    orders: [{ total_amount: x }]\n' })
  assert.deepEqual([faulty.cases, faulty.case_faults[0].line], [[], 3])
  const many = `cases:\n  - name: x\n    orders:\n${'      - { total_amount: 1, expect: { points: 0 } }\n'.repeat(501)}`
  const { status, body } = await post(app, '/api/admin/programs/check', { source, cases: many })
  assert.deepEqual([status, body.path], [400, 'data.cases'])
  assert.match(body.error, /^expected at most 500 orders, got 501/)
  // Texts that would take long to read are refused as for programs.
  const deep = await check(app, { source, cases: '['.repeat(1_000) })
  assert.match(deep.case_faults[0].error, /^expected at most 30 levels/)
})

test('a redemption in a test case is named by redemption_id, over HTTP as in --json (decision 102)', async (t) => {
  const app = await openTestApp(t)
  const source = `${STARTER_PROGRAM}redeem: { value: { points: 1, pays: 1 } }\n`
  const cases = `players: { asha: { points: 10 } }
cases:
  - name: spends
    orders:
      - { player: asha, order_id: o-1, total_amount: 1000, expect: { points: 100 } }
      - { player: asha, redeem: r-1, points: 5, reason: checkout }
`
  const { case_faults, cases: tried } = await check(app, { source, cases })
  assert.deepEqual(case_faults, [])
  assert.deepEqual(
    tried[0].orders.map(({ order_id, redemption_id, user_id }: Record<string, unknown>) => [
      order_id,
      redemption_id,
      user_id,
    ]),
    [
      ['o-1', undefined, 'asha'],
      [undefined, 'r-1', 'asha'],
    ],
  )
})

test('two programs, each a version or a text, are compared in a diff', async (t) => {
  const app = await openTestApp(t)
  const next = STARTER_PROGRAM.replace('points: 1,', 'points: 2,')
  await post(app, '/api/admin/programs', { source: next, from: '2099-01-01T00:00:00Z' })
  const diff = async (data: object) => (await post(app, '/api/admin/programs/diff', data)).body
  const versions = await diff({ from_version: 1, to_version: 2 })
  assert.deepEqual([versions.from, versions.to, versions.equal], ['version 1', 'version 2', false])
  assert.deepEqual(versions.patch.split('\n').filter((line: string) => /^[+-][^+-]/.test(line)).length, 2)
  const text = await diff({ to_source: next })
  assert.deepEqual(
    [text.from, text.to, text.patch.split('@@')[1]],
    ['version 1', 'text', versions.patch.split('@@')[1]],
  )
  assert.deepEqual(await diff({ from_version: 2, to_source: next }), {
    from: 'version 2',
    to: 'text',
    equal: true,
    patch: '',
  })
  const lines = (word: string) =>
    Array.from({ length: 20_000 }, (_, n) => `${word}${n % 7}${n}`)
      .join('\n')
      .slice(0, 200_000)
  for (const [data, path] of [
    [{}, 'data.to_version'],
    [{ to_version: 1, to_source: '' }, 'data.to_version'],
    [{ from_version: 1, from_source: '', to_version: 1 }, 'data.from_version'],
    [{ from_source: lines('a'), to_source: lines('b') }, 'data'],
    [{ to_version: 9 }, 'data.to_version'],
  ] as const) {
    const { status, body } = await post(app, '/api/admin/programs/diff', data)
    assert.deepEqual([status, body.path], [400, path])
  }
})
