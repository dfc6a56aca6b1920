/*
 * Names that have been replaced: they work beside their successors until they are removed (decision 219).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { API, OPERATIONS } from '../support/api-description.ts'
import { aPlayer } from '../support/builders.ts'
import { openTestApp, type Reply } from '../support/test-app.ts'

type Json = Reply['body']

const NOW = '2026-06-01T12:00:00.000Z'

/** Each deprecated route with its successor, and its response made of the successor's; the other formats of its rows begin with `csv`. */
const ROUTES: Readonly<Record<string, readonly [successor: string, responseOf: (today: Json) => Json, csv: string]>> = {
  '/api/admin/acts': [
    '/api/admin/audit-log',
    ({ entries, ...page }) => ({ acts: entries, ...page }),
    'at,by,name,act,subject,detail\r\n',
  ],
  '/api/admin/feeds': [
    '/api/admin/sources',
    ({ sources, ...days }) => ({
      ...days,
      feeds: sources.map(({ record_type, ...source }: Json) => ({ noun: record_type, ...source })),
    }),
    'noun,token,token_name,last_good_at,',
  ],
  '/api/admin/feeds/{noun}/refusals': [
    '/api/admin/sources/{record_type}/refusals',
    (today) => today,
    'field,kind,n,first_day,last_day,quality\r\n',
  ],
}

/** The deprecated fields of responses with their successors. */
const FIELDS: Readonly<Record<string, string>> = {
  asked_at: 'requested_at',
  asked_by: 'requested_by',
  holds_from: 'effective_from',
  holds_now: 'is_effective',
}

test('a route under its former name does what its successor does, answers in its former fields, and says that it is deprecated (decision 219)', async (t) => {
  const app = await openTestApp(t, { now: () => new Date(NOW) })
  await app.upsertPlayers([aPlayer(), {}])
  await app.service.deps.activity.flush()
  await app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': 'EUR' } } })
  const deprecated = OPERATIONS.filter((one) => one.deprecated === true)
  assert.deepEqual(deprecated.map(({ path }) => path).sort(), Object.keys(ROUTES))
  for (const { path, method, description } of deprecated) {
    const [successor, responseOf, csv] = ROUTES[path]!
    assert.match(description, new RegExp(`^Deprecated: use \`${RegExp.escape(successor)}\`\\.`))
    const ask = (of: string, accept = '*/*') =>
      app.ask(method, of.replace(/\{\w+\}/, 'players'), { headers: { accept } })
    const [then, today] = [await ask(path), await ask(successor)]
    assert.deepEqual([then.status, today.status], [200, 200], path)
    assert.equal(then.text, `${JSON.stringify(responseOf(today.body))}\n`, path)
    assert.match(then.text, /\[\{/, `${path} has no rows to compare`)
    assert.match(String(then.headers.deprecation), /^@\d{10}$/)
    assert.equal(today.headers.deprecation, undefined)
    assert((await ask(path, 'text/csv')).text.startsWith(csv), path)
    assert.equal((await app.ask(method, `${path.replace(/\{\w+\}/, 'players')}?x=1`)).status, 400)
  }
})

test('a field under its former name, which is marked as deprecated, has the value of its successor beside it (decision 219)', async (t) => {
  assert.deepEqual([...new Set(deprecatedFields(API))].sort(), Object.keys(FIELDS))
  const app = await openTestApp(t)
  const { body: job } = await app.ask('POST', '/api/admin/jobs', { body: { data: { kind: 'verify' } } })
  const bodies = [
    job,
    ...['jobs', `jobs/${job.id}`, 'programs', 'programs/current'].map(
      async (path) => (await app.ask('GET', `/api/admin/${path}`)).body,
    ),
    (await app.ask('POST', `/api/admin/jobs/${job.id}/cancel`)).body,
  ]
  const found = (await Promise.all(bodies)).map(formerFields)
  assert.deepEqual(found, [2, 2, 2, 2, 1, 2])
})

/** The names of the fields that a description marks as deprecated. */
function deprecatedFields(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { properties = {} } = node as { properties?: Readonly<Record<string, { deprecated?: boolean }>> }
  const own = Object.keys(properties).filter((name) => properties[name]?.deprecated === true)
  return [...own, ...Object.values(node).flatMap(deprecatedFields)]
}

/** How many former fields a response has. Errors: AssertionError if the successor of one of them has another value. */
function formerFields(response: Json): number {
  if (typeof response !== 'object' || response === null) return 0
  const own = Object.keys(response).filter((name) => Object.hasOwn(FIELDS, name))
  for (const name of own) assert.equal(response[FIELDS[name]!], response[name], name)
  return Object.values(response).reduce((sum: number, inner) => sum + formerFields(inner), own.length)
}
