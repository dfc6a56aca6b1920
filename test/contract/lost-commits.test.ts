/*
 * Admin operations over a connection that is cut at COMMIT: before the server sees it, and after it has committed.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import { makeFirstToken } from '../../src/cli/serve/first-token.ts'
import { readConfig } from '../../src/config.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { tokenDigest } from '../../src/resources/tokens/token-text.ts'
import { aPlayer } from '../support/builders.ts'
import { type Cut, startCuttingProxy } from '../support/cutting-proxy.ts'
import { testDatabase } from '../support/databases.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openTestAppAt, type TestApp } from '../support/test-app.ts'

const KINDS = ['create', 'revoke', 'rotate', 'publish', 'withdraw', 'adjust', 'balances'] as const
const CUTS = ['before', 'after'] satisfies Cut[]
const BEGIN_MS = Date.parse('2026-06-01T12:00:00.000Z')

type Act = Readonly<{ kind: (typeof KINDS)[number]; cut: Cut; times: number; pick: number }>

/** Every operation with every cut, in any order, each on something that exists by then. */
const everyAct = fc
  .shuffledSubarray(
    KINDS.flatMap((kind) => CUTS.map((cut) => ({ kind, cut }))),
    { minLength: KINDS.length * CUTS.length },
  )
  .chain((acts) =>
    fc.tuple(
      ...acts.map((act) =>
        fc
          .record({ times: fc.integer({ min: 1, max: 2 }), pick: fc.nat({ max: 1_000 }) })
          .map((more) => ({ ...act, ...more })),
      ),
    ),
  )

test('every admin operation has the same answer and the same effect as without the cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(everyAct, async (acts: readonly Act[]) => {
      const calm = await runActs(t, acts, false)
      const cut = await runActs(t, acts, true)
      assert.deepEqual(cut, calm)
    }),
    { numRuns: 2, endOnFailure: true },
  )
})

async function runActs(t: test.TestContext, acts: readonly Act[], isCutting: boolean) {
  const proxy = await startCuttingProxy(await testDatabase(t))
  t.after(() => proxy.close())
  let nowMs = BEGIN_MS
  const app = await openTestAppAt(t, proxy.url, { now: () => new Date(nowMs) })
  await app.upsertPlayers([aPlayer({ User_id: 'u-0' }), aPlayer({ User_id: 'u-1', Refercode: 'MEERA' })])
  const texts: string[] = []
  const alive: string[] = []
  const responses: unknown[] = []
  const issue = ({ body }: { body: { id: string; token: string } }) => {
    texts.push(body.token)
    alive.push(body.id)
  }
  for (let n = 0; n < 4; n += 1) issue(await createToken(app, `token ${n}`))
  for (const name of ['Summer', 'Autumn']) assert.equal((await publishProgram(app, name)).status, 200)

  const perform = async ({ kind, pick }: Act) => {
    const adjustment = { id: `gift ${pick % 20}`, points: 1 + (pick % 2), counts: true, reason: 'a gift' }
    switch (kind) {
      case 'create':
        return createToken(app, `more ${pick}`)
      case 'revoke':
        return app.ask('POST', `/api/admin/tokens/${alive.splice(pick % alive.length, 1)[0]}/revoke`)
      case 'rotate':
        return app.ask('POST', `/api/admin/tokens/${alive.splice(pick % alive.length, 1)[0]}/rotate`)
      case 'publish':
        return publishProgram(app, `Program ${pick}`)
      case 'withdraw':
        return app.ask('POST', `/api/admin/programs/${2 + (pick % 2)}/withdraw`)
      case 'adjust':
        return app.ask('POST', `/api/players/u-${pick % 2}/adjustments`, { body: { data: adjustment } })
      case 'balances': {
        const data = [0, 1, 0, 2].map((plus) => ({
          ...adjustment,
          user_id: `u-${(pick + plus) % 2}`,
          id: `gift ${(pick + plus) % 20}`,
        }))
        return app.ask('POST', '/api/admin/balances?details=true', { body: { data } })
      }
      default:
        return kind satisfies never
    }
  }
  for (const act of acts) {
    nowMs += 1_000
    if (isCutting) proxy.cutCommits(act.cut, act.times)
    const reply = await perform(act)
    proxy.cutCommits(act.cut, 0)
    responses.push({ act, status: reply.status, body: reply.body })
    if (act.kind === 'create' || act.kind === 'rotate') issue(reply)
  }
  for (const text of texts) {
    const [stored] = await app.query(
      `select revoked_at is null as good from tokens where digest = '\\x${tokenDigest(text).toString('hex')}'`,
    )
    const { status } = await app.ask('GET', '/api/admin/tokens', { headers: { token: text } })
    assert.equal(status, stored?.good === true ? 200 : 401)
  }
  const observed = app.observations.filter(({ kind }) => LOGGED.has(kind))
  return withoutRandomValues({ responses, observed, state: await stateOf(app) }, texts)
}

const LOGGED = new Set(['tokens-changed', 'program-published', 'program-withdrawn', 'batch-upserted'])

const publishProgram = (app: TestApp, name: string) => {
  const source = STARTER_PROGRAM.replace('Starter', name)
  return app.ask('POST', '/api/admin/programs', { body: { data: { source, from: '2026-07-01T00:00:00Z' } } })
}

const createToken = (app: TestApp, name: string) =>
  app.ask('POST', '/api/admin/tokens', { body: { data: { name, scopes: ['admin'] } } })

async function stateOf(app: TestApp) {
  return {
    tokens: await app.query(
      `select token_id, name, scopes, created_at::text, revoked_at::text from tokens order by name, created_at`,
    ),
    programs: await app.query(
      'select version, name, published_at::text, withdrawn_at::text from programs where version > 1 order by version',
    ),
    accounts: await app.query('select user_id, points, counted, entries from accounts order by user_id'),
    entries: await app.query('select user_id, seq, points, adjustment_id, at::text from entries order by user_id, seq'),
    acts: await app.query(
      'select at::text, act, count(*)::int as times from acts group by acts.at, act order by acts.at, act',
    ),
  }
}

/** Random values are replaced by the number of their token, and durations are left out. */
function withoutRandomValues(found: object, texts: readonly string[]): unknown {
  const own = JSON.stringify(found, (name, value) => (name === 'durationMs' || name === 'by' ? undefined : value))
  const named = texts.reduce(
    (text, token, n) => text.replaceAll(token, `text ${n}`).replaceAll(token.slice(7, 19), `id ${n}`),
    own,
  )
  return JSON.parse(named)
}

for (const cut of CUTS) {
  test(`the first token works and can be read by its owner even if the connection is cut ${cut} COMMIT (decision 60)`, async (t) => {
    const proxy = await startCuttingProxy(await testDatabase(t))
    t.after(() => proxy.close())
    const app = await openTestAppAt(t, proxy.url)
    const LAUREL_DATA = join(temporaryDirectory(t), 'data')
    proxy.cutCommits(cut, 2)
    const path = await makeFirstToken(readConfig({ LAUREL_DATA }), app.service)
    const token = readFileSync(path!, 'utf8').trim()
    assert.equal((await app.ask('GET', '/api/admin/tokens', { headers: { token } })).status, 200)
    assert.deepEqual(await app.query('select count(*)::int as tokens from tokens'), [{ tokens: 1 }])
  })
}
