/*
 * A restored service answers like the original: the same generated GETs to a service and to two restored from its backup, one on each database, answered
 * byte for byte alike.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { serverOf } from '../../src/cli/database.ts'
import { readConfig } from '../../src/config.ts'
import { OPERATIONS, type Operation } from '../support/api-description.ts'
import { anOrder } from '../support/builders.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import type { Lifetime } from '../support/databases.ts'
import { fromSchema } from '../support/from-schema.ts'
import { openEmbeddedApp, openTestAppAt, type Reply, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'
import type { CampaignDatabase } from './arguments.ts'
import { type Place, type Places, type Shop, succeed } from './backup-places.ts'
import { WAITS_ENDS_AND_PAYS } from './real-orders.ts'

/** What is not compared, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'GET /api/admin/service':
    'measures the service itself, and says when the last backup was made, which is noted after it',
  'GET /api/admin/jobs':
    'in a backup of the embedded database the job that writes it is still running; the other jobs are compared one by one',
  'GET /metrics': 'is no JSON, and measures the process',
}
/** These change something: the audit log says who revealed what, and predictions are counted. So they are asked after all others. */
const changes = (request: Request) =>
  predicts(request) || request.path.endsWith('/export') || request.asked.includes('reveal=true')
/** Predictions are stored within a second, and are in an export from then on. */
const predicts = ({ path }: Request) => path === '/api/predictions/orders'

/** Long after the last order: points are pending, expired and spendable at some moment before. */
const START = '2010-11-30T00:00:00.000Z'
/** Pages that are followed from each list. */
const PAGES_MAX = 3
const JOBS = [{ kind: 'verify' }, { kind: 'points-report', from: '2010-12-01', to: '2011-08-31' }] as const

/** As `fromSchema` takes it. */
type ParameterSchema = Parameters<typeof fromSchema>[0]

type Request = Readonly<{ path: string; asked: string; body?: unknown }>

/** Fills a service, backs it up, restores it on both databases, and compares their answers to so many GETs. */
export async function compareAnswers(
  t: Lifetime,
  places: Places,
  shop: Shop,
  { database, gets, seed }: Readonly<{ database: CampaignDatabase; gets: number; seed: number }>,
): Promise<string> {
  let now = START
  const clock = () => new Date(now)
  const place = await places.open(database)
  const original = await openAppAt(t, place, clock)
  const ids = await fillShop(original, shop, (at) => {
    if (at > now) now = at
  })
  const requests = generate(ids, gets, seed)
  // Before the backup: that it was made stands in the audit log of the original.
  const unchanging = await answersOf(
    original,
    requests.filter((request) => !changes(request)),
  )
  const file = places.newPath('backup.zst')
  await succeed(['backup', file], place.env)
  const restored: TestApp[] = []
  for (const target of ['embedded', 'postgres'] as const) {
    const other = await places.open(target)
    await succeed(['restore', file], other.env)
    restored.push(await openAppAt(t, other, clock))
  }
  const compare = async (answers: readonly Answer[]) => {
    for (const { request, status, text } of answers)
      for (const app of restored) {
        const reply = await app.ask('GET', request.asked, { body: request.body })
        assertAlike([status, text], [reply.status, reply.text], `GET ${request.asked}, seed ${seed}`)
      }
  }
  await compare(unchanging)
  const last = requests.filter(changes).toSorted((one, other) => Number(predicts(one)) - Number(predicts(other)))
  const changing = await answersOf(original, last)
  await compare(changing)
  const all = [...unchanging, ...changing]
  const found = all.filter(({ status }) => status === 200).length
  const routes = new Set(requests.map(({ path }) => path)).size
  return `${all.length} GETs of ${routes} routes answered alike by the original and both restored services, ${found} with 200; not compared: ${Object.keys(EXCEPTIONS).length} routes`
}

type Answer = Readonly<{ request: Request; status: number; text: string }>

/** The answers to requests, and to those for the pages after them. */
async function answersOf(app: TestApp, requests: readonly Request[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const first of requests) {
    let request: Request | undefined = first
    for (let page = 1; request !== undefined; page += 1) {
      const { status, text, body }: Reply = await app.ask('GET', request.asked, { body: request.body })
      assert(status < 500, `GET ${request.asked}: ${text}`)
      answers.push({ request, status, text })
      request = page < PAGES_MAX && typeof body?.after === 'string' ? pageAfter(request, body.after) : undefined
    }
  }
  return answers
}

function pageAfter(request: Request, after: string): Request {
  const url = new URL(request.asked, 'http://laurel')
  url.searchParams.set('after', after)
  return { ...request, asked: `${url.pathname}${url.search}` }
}

/** Shows where the answers begin to differ: they may be long. */
function assertAlike(expected: readonly [number, string], found: readonly [number, string], what: string): void {
  if (expected[0] === found[0] && expected[1] === found[1]) return
  const at = Math.max(0, [...expected[1]].findIndex((one, place) => one !== found[1][place]) - 200)
  const part = ([status, text]: readonly [number, string]) => `${status} ...${text.slice(at, at + 500)}`
  assert.fail(`${what}\noriginal: ${part(expected)}\nrestored: ${part(found)}`)
}

function openAppAt(t: Lifetime, { data, databaseUrl }: Place, now: () => Date): Promise<TestApp> {
  // A machine that is so busy that old predictions are swept from one service only would answer otherwise.
  const env = { PREDICTIONS_RETENTION_DAYS: '3650' }
  if (databaseUrl === undefined) return openEmbeddedApp(t, { data, now, env })
  return openTestAppAt(t, databaseUrl, {
    now,
    env,
    jobs: { server: serverOf(readConfig({ DATABASE_URL: databaseUrl }))! },
  })
}

/** Ids by the name of the parameter that takes them. */
type Ids = Readonly<Record<string, readonly string[]>>

/** Gives a service something of everything: orders that pay with points, holds, adjustments, predictions, refused records, drafts, jobs. */
async function fillShop(
  app: TestApp,
  { players, products, states }: Shop,
  setClock: (at: string) => void,
): Promise<Ids> {
  const good = async (asked: Promise<Reply>): Promise<Reply['body']> => {
    const { status, body, text } = await asked
    assert.equal(status, 200, text)
    return body
  }
  const post = (path: string, data: unknown) => good(app.ask('POST', path, { body: { data } }))
  await post('/api/admin/programs', { source: WAITS_ENDS_AND_PAYS })
  await good(app.upsertProducts(products))
  await good(app.upsertPlayers(players))
  for (const [place, { at, order, why }] of states.entries()) {
    setClock(at)
    if (place % 3 === 0) await good(app.predict(order))
    const { most = 0 } =
      (await good(app.predict({ ...order, order_id: 'asked' }, '?explain=true'))).explanation.balance.redeemable ?? {}
    await good(
      app.record([why === 'placed' && place % 4 === 0 && most > 0 ? { ...order, points_redeemed: most } : order]),
    )
    if (place % 10 === 0) await flush(app)
  }
  const users = (players as { User_id: string }[]).map(({ User_id }) => User_id)
  const redemptions: string[] = []
  for (const [place, user] of users.entries()) {
    await post(`/api/players/${user}/adjustments`, {
      id: `a-${place}`,
      points: 500 + place,
      counts: place % 2 === 0,
      reason: 'sorry',
    })
    const path = `/api/players/${user}/redemptions`
    const made = await app.ask('POST', path, {
      body: { data: { id: `r-${place}`, points: 200, reason: 'gift', hold: place % 2 === 0 } },
    })
    if (made.status !== 200) continue
    redemptions.push(`r-${place}`)
    if (place % 4 === 0) await post(`${path}/r-${place}/confirm`, {})
    if (place % 4 === 2) await post(`${path}/r-${place}/void`, { reason: 'changed his mind' })
  }
  await app.record([anOrder({ order_id: 'refused', user_id: 'nobody' }), anOrder({ order_id: '', user_id: users[0] })])
  await app.record([
    anOrder({
      order_id: 'unknown-product',
      user_id: users[0],
      products: [{ product_sku_id: 'new', amount: '7', qty: '1' }],
    }),
  ])
  await app.upsertPlayers([{ User_id: 'half' }])
  const draft = await post('/api/admin/drafts', { name: 'Summer', source: WAITS_ENDS_AND_PAYS })
  const token = await post('/api/admin/tokens', { name: 'till', scopes: ['read'] })
  const jobs: string[] = []
  for (const job of JOBS) {
    const { id } = await post('/api/admin/jobs', job)
    jobs.push(id)
    await eventually('the job ends', async () => (await good(app.ask('GET', `/api/admin/jobs/${id}`))).state === 'done')
  }
  await flush(app)
  await foldedAccounts(app)
  await sweptAccounts(app)
  const listed = (await good(app.ask('GET', '/api/admin/orders?limit=500'))).orders as { order_id: string }[]
  return {
    user_id: [...users, 'nobody'],
    referrer_id: users,
    order_id: [...listed.map(({ order_id }) => order_id), 'none'],
    redemption_id: redemptions,
    product_sku_id: (products as { product_sku_id: string }[]).map(({ product_sku_id }) => product_sku_id),
    version: ['1', '2', '3', 'current'],
    id: [draft.id, ...jobs],
    by: [token.id],
    prefix: ['5', '1', users[0]!.slice(0, 3), 'Z'],
  }
}

async function flush({ service: { deps } }: TestApp): Promise<void> {
  await deps.predictions.flushAll()
  await deps.activity.flush()
}

/** As many requests, spread over every GET that answers JSON. */
function generate(ids: Ids, gets: number, seed: number): Request[] {
  const routes = OPERATIONS.filter(
    ({ method, path, responses }) =>
      method === 'GET' && !(`GET ${path}` in EXCEPTIONS) && 'application/json' in (responses[200]?.content ?? {}),
  )
  const numRuns = Math.ceil(gets / routes.length)
  return routes.flatMap((route) => fc.sample(requestOf(route, ids), { numRuns, seed }))
}

/** A day or a moment of the shop's orders, or shortly before or after. */
const days = fc
  .date({ min: new Date('2010-11-01'), max: new Date('2012-03-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

function requestOf({ path, parameters = [] }: Operation & Readonly<{ path: string }>, ids: Ids): fc.Arbitrary<Request> {
  const named = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place)
        .map(({ name, schema }) => [name, queryValue(name, schema as ParameterSchema, ids)]),
    )
  // Most parameters are left out most of the time: a request with one that is wrong says nothing of the others.
  const query = fc
    .tuple(fc.record(named('query'), { noNullPrototype: true }), fc.infiniteStream(fc.nat(3)))
    .map(([values, chance]) => Object.entries(values).filter(() => chance.next().value === 0))
  const order = fc.constantFrom(...ids.user_id!).map((user_id) => anOrder({ user_id, order_id: 'asked' }))
  return fc.tuple(fc.record(named('path'), { noNullPrototype: true }), query, order).map(([params, pairs, data]) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
    const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
    return {
      path,
      asked: search === '' ? filled : `${filled}?${search}`,
      ...(path === '/api/predictions/orders' && { body: { data } }),
    }
  })
}

function queryValue(name: string, schema: ParameterSchema, ids: Ids): fc.Arbitrary<unknown> {
  const known = ids[name]
  if (known !== undefined) return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, fromSchema(schema))
  if (schema.format === 'date') return days.map((day) => day.slice(0, 10))
  if (schema.format === 'date-time') return days
  if (name === 'limit') return fc.constantFrom(1, 2, 7, 50, 500)
  return fromSchema(schema)
}
