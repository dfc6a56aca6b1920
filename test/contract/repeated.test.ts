/*
 * Who did it, where two services get the same command at once, or a connection is lost: exactly one request is told that it was the first.
 */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { Unavailable } from '../../src/errors.ts'
import { anOrder, aPlayer } from '../support/builders.ts'
import { openOnServer, testDatabase } from '../support/databases.ts'
import { createInterceptor, LOSING } from '../support/intercepting.ts'
import { act, clean, give, redeem } from '../support/redeeming.ts'
import { openAppOn, openTestAppAt, type Reply, send, type TestApp } from '../support/test-app.ts'

const PROGRAM = `name: Two tills
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn: []
redeem: { value: { points: 1, pays: 1 } }
`
/** Both services have the same clock, to the millisecond. */
const now = () => new Date('2026-05-10T12:00:00Z')

type Step = (app: TestApp, id: string) => Promise<Reply>

const hold: Step = (app, id) => redeem(app, { id, points: 30, hold: true })
const spend: Step = (app, id) => redeem(app, { id, points: 30 })
const gift: Step = (app, id) => give(app, 7, { id })
/** The response to a batch of one record, as if it were a request of its own. */
const asRepeated = (reply: Reply): Reply => ({ ...reply, body: { repeated: reply.body.inserted === 0 } })
const COMMANDS: Readonly<Record<string, { before?: Step; run: Step }>> = {
  hold: { run: hold },
  spend: { run: spend },
  confirm: { before: hold, run: (app, id) => act(app, id, 'confirm') },
  void: { before: spend, run: (app, id) => act(app, id, 'void') },
  adjust: { run: gift },
  undo: {
    before: gift,
    run: (app, id) => app.ask('POST', `/api/players/u-1/adjustments/${id}/undo`, { body: { data: { reason: 'r' } } }),
  },
  'adjust many': {
    run: async (app, id) => {
      const data = [{ user_id: 'u-1', id, points: 7, counts: false, reason: 'r' }]
      return asRepeated(await app.ask('POST', '/api/admin/balances', { body: { data } }))
    },
  },
  record: { run: async (app, id) => asRepeated(await app.record([anOrder({ order_id: id, products: [] })])) },
}
const WRITE = { about: 'u-1', at: 'insert into accounts as' }
const COMMIT = { about: 'u-1', at: 'commit' }

/** Two services on one database, where u-1 has 1,000 points; the statements of the first can be intercepted. */
async function openTwo(t: TestContext) {
  const url = await testDatabase(t)
  const interceptor = createInterceptor()
  const first = await openAppOn(t, () => openOnServer(t, url, { through: interceptor.through }), { now })
  const { status, text } = await first.ask('POST', '/api/admin/programs', { body: { data: { source: PROGRAM } } })
  assert.equal(status, 200, text)
  await first.upsertPlayers([aPlayer()])
  await give(first, 1_000)
  const second = await openTestAppAt(t, url, { now })
  return { first, second, interceptor }
}

test('of two services that get the same command at once, one answers that it was done before', async (t) => {
  const { first, second, interceptor } = await openTwo(t)
  for (const [name, { before, run }] of Object.entries(COMMANDS))
    for (const isCommitLost of [false, true]) {
      const id = `${name} ${isCommitLost}`
      await before?.(first, id)
      let other: Reply | undefined
      interceptor.next(WRITE, async (write) => {
        other = await run(second, id)
        return write()
      })
      if (isCommitLost) interceptor.next(COMMIT, LOSING.after)
      const own = await run(first, id)
      assert.deepEqual([other?.body.repeated, own.body.repeated], [false, true], `${name}: ${own.text}`)
      assert.equal(interceptor.waiting(), 0)
    }
  await clean(first)
})

test('a COMMIT of unknown outcome does not change whether a command was done before', async (t) => {
  const { first, interceptor } = await openTwo(t)
  for (const [name, { before, run }] of Object.entries(COMMANDS))
    for (const end of ['before', 'after'] as const) {
      const id = `${name} ${end}`
      await before?.(first, id)
      for (const isRepeated of [false, true]) {
        interceptor.next(COMMIT, LOSING[end])
        const { body, text } = await run(first, id)
        assert.equal(body.repeated, isRepeated, `${name}, lost ${end} it arrived: ${text}`)
        assert.equal(interceptor.waiting(), 0)
      }
    }
  await clean(first)
})

test('after a COMMIT whose answer did not come in time, the next transaction can read one snapshot of the ledger', async (t) => {
  const { first, interceptor } = await openTwo(t)
  const { db } = first.service
  interceptor.next(COMMIT, async (commit) => {
    await commit()
    return Promise.withResolvers<never>().promise
  })
  const late = db.transaction((tx) => tx.query('select $1::text as one', ['u-1']), performance.now() + 200)
  await assert.rejects(late, Unavailable)
  assert.equal(interceptor.waiting(), 0)
  await clean(first)
})

test('what another service did after a connection was lost before COMMIT is not our own', async (t) => {
  const { first, second, interceptor } = await openTwo(t)
  let other: Reply | undefined
  interceptor.next({ about: 'u-1', at: 'insert into acts' }, LOSING.before)
  interceptor.next({ about: '', at: 'begin' }, async (begin) => {
    other = await gift(second, 'g')
    return begin()
  })
  const own = await gift(first, 'g')
  assert.deepEqual([other?.body.repeated, own.body.repeated], [false, true], own.text)
  assert.equal(interceptor.waiting(), 0)
  await clean(first)
})

/** What is counted of the ledger. */
const COUNTED = new Set(['ledger-written', 'redemptions-written'])

test('what a command writes is counted once, whether or not the answer to its COMMIT is lost', async (t) => {
  const { first, interceptor } = await openTwo(t)
  for (const [name, { before, run }] of Object.entries(COMMANDS)) {
    const countsOf = async (id: string, end?: keyof typeof LOSING) => {
      await before?.(first, id)
      if (end !== undefined) interceptor.next(COMMIT, LOSING[end])
      const since = first.observations.length
      await run(first, id)
      assert.equal(interceptor.waiting(), 0)
      return first.observations.slice(since).filter(({ kind }) => COUNTED.has(kind))
    }
    const counts = await countsOf(`${name} calm`)
    assert(counts.length > 0, name)
    for (const end of ['before', 'after'] as const)
      assert.deepEqual(await countsOf(`${name} ${end}`, end), counts, `${name}, lost ${end} it arrived`)
  }
})

test('states of one order that were accepted in turn have the same verdicts if the answer to COMMIT is lost', async (t) => {
  const { first, interceptor } = await openTwo(t)
  for (const end of ['before', 'after'] as const) {
    interceptor.next(COMMIT, LOSING[end])
    // Against the second state, the first would be a conflict.
    const states = [{ total_amount: '1', state_version: 1 }, { total_amount: '2' }]
    const { body } = await first.record(states.map((state) => anOrder({ order_id: end, products: [], ...state })))
    assert.deepEqual([body.inserted, body.updated, body.skipped], [1, 1, 0], `lost ${end} it arrived`)
    assert.equal(interceptor.waiting(), 0)
  }
  await clean(first)
})

for (const [noun, make] of [
  ['drafts', aDraft],
  ['sessions', aSession],
] as const) {
  test(`${noun}: deleting one succeeds whichever connection is lost, and one that does not exist is 404`, async (t) => {
    const { first, interceptor } = await openTwo(t)
    const remove = async (id: string) => (await first.ask('DELETE', `/api/admin/${noun}/${id}`)).status
    for (const at of [`delete from ${noun}`, 'commit'])
      for (const end of ['before', 'after'] as const) {
        const id = await make(first)
        interceptor.next({ about: id, at }, LOSING[end])
        assert.equal(await remove(id), 200, `${at}, lost ${end} it arrived`)
        assert.equal(await remove(id), 404)
        assert.equal(interceptor.waiting(), 0)
      }
    interceptor.next({ about: 'missing', at: `delete from ${noun}` }, LOSING.before)
    assert.equal(await remove('missing'), 404)
    assert.equal(interceptor.waiting(), 0)
  })
}

async function aDraft(app: TestApp): Promise<string> {
  return (await app.ask('POST', '/api/admin/drafts', { body: { data: { name: 'Summer', source: PROGRAM } } })).body.id
}

/** Signs in with the service's own token, as a browser does. */
async function aSession({ url, service }: TestApp): Promise<string> {
  const headers = { 'content-type': 'application/json', 'x-laurel-console': '1', 'sec-fetch-site': 'same-origin' }
  const body = Buffer.from(JSON.stringify({ data: { token: service.ownToken } }))
  return (await send(url, 'POST', '/api/console/session', body, headers)).body.session.id
}
