/*
 * Names that have been replaced: they work beside their successors until they are removed (decision 217).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { OPERATIONS } from '../support/api-description.ts'
import { aPlayer } from '../support/builders.ts'
import { openTestApp, type Reply } from '../support/test-app.ts'

type Json = Reply['body']

const NOW = '2026-06-01T12:00:00.000Z'

/** Each deprecated route with its successor, and its answer made of the successor's; the other formats of its rows begin with `csv`. */
const ROUTES: Readonly<Record<string, readonly [successor: string, answerOf: (today: Json) => Json, csv: string]>> = {
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

test('a route under its former name does what its successor does, answers in its former fields, and says that it is deprecated (decision 217)', async (t) => {
  const app = await openTestApp(t, { now: () => new Date(NOW) })
  await app.upsertPlayers([aPlayer(), {}])
  await app.service.deps.activity.flush()
  await app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': 'EUR' } } })
  const deprecated = OPERATIONS.filter((one) => one.deprecated === true)
  assert.deepEqual(deprecated.map(({ path }) => path).sort(), Object.keys(ROUTES))
  for (const { path, method, description } of deprecated) {
    const [successor, answerOf, csv] = ROUTES[path]!
    assert.match(description, new RegExp(`^Deprecated: use \`${RegExp.escape(successor)}\`\\.`))
    const ask = (of: string, accept = '*/*') =>
      app.ask(method, of.replace(/\{\w+\}/, 'players'), { headers: { accept } })
    const [then, today] = [await ask(path), await ask(successor)]
    assert.deepEqual([then.status, today.status], [200, 200], path)
    assert.equal(then.text, `${JSON.stringify(answerOf(today.body))}\n`, path)
    assert.match(then.text, /\[\{/, `${path} has no rows to compare`)
    assert.match(String(then.headers.deprecation), /^@\d{10}$/)
    assert.equal(today.headers.deprecation, undefined)
    assert((await ask(path, 'text/csv')).text.startsWith(csv), path)
    assert.equal((await app.ask(method, `${path.replace(/\{\w+\}/, 'players')}?x=1`)).status, 400)
  }
})
