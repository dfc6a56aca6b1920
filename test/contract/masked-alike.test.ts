/*
 * What a viewer can find out about masked data: nothing. Two services that differ only in what is masked of one person answer alike, byte for byte.
 * If they differ in the id of a person, only handles and places in lists differ.
 *
 * Exceptions, each for a reason:
 * - Whether a masked field is empty is shown, so that gaps in the data are found. All fields are filled here.
 * - A search by e-mail address, phone number or referral code, and an order with a referral code, find the person: who asks knows it already.
 * - What orders earned, and results of jobs that callers with the scope `support` started, depend on rules about birth dates.
 * - `GET /api/admin/service` measures the service itself, and holds nothing of players.
 * - Lists are in the order of ids, so that they can be read page by page; the cursors of their pages are handles.
 * - The length of a handle tells that of an id, to 16 bytes.
 * - Who asks with an id in place of a handle knows it already.
 */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { describedRoutes } from '../../scripts/openapi-document.ts'
import { serverOf } from '../../src/cli/database.ts'
import { readConfig } from '../../src/config.ts'
import { HANDLE_PREFIX } from '../../src/engine/ingest/player-key.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { foldedAccounts, sweptAccounts } from '../support/counted-accounts.ts'
import { testDatabase } from '../support/databases.ts'
import { HIDDEN_FROM_RULES } from '../support/left-out.ts'
import { openEmbeddedApp, openTestAppAt, type Reply, type TestApp } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const NOW = '2026-06-01T12:00:00.000Z'
const EXEMPT = ['GET /api/admin/service']

const words = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme-ascii' }).filter((text) => text.trim() !== '')
const digits = fc.bigInt({ min: 10n ** 6n, max: 10n ** 14n }).map(String)
const day = fc.date({ min: new Date('1930-01-01'), max: new Date('2025-12-31'), noInvalidDate: true })

/** Everything of a person that is masked, apart from the id. */
const masked = fc.record({
  Name: words,
  Email: digits.map((part) => `p${part}@example.com`),
  Phone: digits.map((part) => `+${part}`),
  Add: words,
  DOB: day.map((date) => date.toISOString().slice(0, 10).split('-').reverse().join('-')),
  Refercode: digits.map((part) => `R${part}`),
  RefBy: words,
  Pincode: digits,
  attributes: fc.record({ vip: fc.boolean(), tag: words }),
  reason: words,
  recipient: words,
  engraving: words,
})
type Masked = typeof masked extends fc.Arbitrary<infer T> ? T : never

const asked = fc.record({
  condition: fc.oneof(
    fc.integer({ min: 1, max: 100 }).map((age) => `player.age >= ${age}`),
    fc.constantFrom(
      'player.is_birthday',
      'player.is_birth_month',
      'player.state == "Kerala"',
      'player.district == "Ernakulam"',
      'player.country == "India"',
      'player.attributes.vip',
      'player.attributes.tag < "k"',
      'player.group("g", 2) == 1',
      'order.attributes.recipient > "k"',
      'line.attributes.engraving > "M"',
    ),
  ),
  at: day.map((date) => `2026-${date.toISOString().slice(5)}`),
  limit: fc.integer({ min: 1, max: 3 }),
  format: fc.constantFrom('application/json', 'application/x-ndjson', 'text/csv'),
})

const STATISTICS = [
  ...['summary', 'points', 'rules', 'orders', 'attributes', 'predictions', 'accounts', 'levels', 'unknown-products'],
]

/** A program with one rule, that applies under a condition. Statistics that count by an attribute would show it. */
const programOn = (condition: string) =>
  `name: T\nattributes: { player: { vip: yes-no, tag: text }, order: { recipient: text }, product: { engraving: text } }\nstatistics: { by: recipient }\nrounding: floor\nlevels: { counts: lifetime, ladder: [{ name: A, from: 0 }] }\nearn: [{ name: r, when: '${condition}', fixed: { points: 7 } }]\n`

/** A program whose points depend on birth dates, regions, groups, and attributes of players, orders and lines: each age adds a point. */
const ABOUT_PEOPLE = [
  'name: T\nattributes: { player: { vip: yes-no }, order: { recipient: text }, product: { engraving: text } }\nstatistics: { by: recipient }\nrounding: floor\n',
  'levels: { counts: lifetime, ladder: [{ name: A, from: 0 }] }\nearn:\n',
  ...Array.from({ length: 18 }, (_, n) => `  - { name: a${n}, when: player.age >= ${5 * n}, fixed: { points: 1 } }\n`),
  `  - { name: region, when: 'player.state == "Kerala"', fixed: { points: 1000 } }\n`,
  '  - { name: vip, when: player.attributes.vip, fixed: { points: 10000 } }\n',
  `  - { name: group, when: 'player.group("g", 2) > 0', fixed: { points: 100000 } }\n`,
  `  - { name: recipient, when: 'order.attributes.recipient.size() > 0', fixed: { points: 1000000 } }\n`,
  `  - { name: late, when: 'order.attributes.recipient > "k"', fixed: { points: 10000000 } }\n`,
  `  - { name: engraving, when: 'line.attributes.engraving > "M"', fixed: { points: 100000000 } }\n`,
].join('')

const BACKTEST = { kind: 'backtest', source: ABOUT_PEOPLE }
const DAYS = { from: '2026-01-01', to: '2030-12-31' }
/** A job of each kind that reads the database. */
const JOBS = [
  BACKTEST,
  { kind: 'points-report', from: '2026-05-01', to: '2026-05-31' },
  { kind: 'points-expiring', ...DAYS },
  { kind: 'points-expiring', ...DAYS, after: 'p-1' },
  { kind: 'report' },
  { kind: 'verify' },
] as const

/** The path of a job that this token started and that has ended. */
async function endedJob(app: TestApp, token: string, data: (typeof JOBS)[number]): Promise<string> {
  const headers = { token }
  const { body, text } = await app.ask('POST', '/api/admin/jobs', { body: { data }, headers })
  assert(body.id !== undefined, text)
  const path = `/api/admin/jobs/${body.id}`
  await eventually('the job ends', async () => {
    const job = (await app.ask('GET', path, { headers })).body
    assert(job.state !== 'failed', job.error)
    return job.state === 'done'
  })
  return path
}

/** The result of a job of a kind, as who started it may see it. */
const resultOf = async (app: TestApp, token: string, data: (typeof JOBS)[number]): Promise<Reply['body']> =>
  (await app.ask('GET', await endedJob(app, token, data), { headers: { token } })).body.result

/** A person with two orders, one of nothing, an adjustment and a redemption, whose ids end with `key`; of two rounds, neither has what the other has. */
async function addPerson(
  app: TestApp,
  id: string,
  { reason, recipient, engraving, ...fields }: Masked,
  key = id,
): Promise<void> {
  const good = async (reply: Promise<Reply>) => assert.equal((await reply).status, 200)
  const player = aPlayer({ ...fields, User_id: id, State: 'Kerala', District: 'Ernakulam' })
  const { body } = await app.upsertPlayers([player], '?details=true')
  assert.equal(body.inserted, 1, JSON.stringify(body))
  const { name, email } = { name: fields.Name, email: fields.Email }
  const products = [{ product_sku_id: 'tea', amount: '1200', qty: '2', attributes: { engraving } }]
  await good(
    app.record([anOrder({ user_id: id, order_id: `o-${key}`, name, email, products, attributes: { recipient } })]),
  )
  await good(app.record([anOrder({ user_id: id, order_id: `z-${key}`, total_amount: 0, products: [] })]))
  const post = (path: string, data: object) =>
    app.ask('POST', `/api/players/${encodeURIComponent(id)}/${path}`, { body: { data } })
  await good(post('adjustments', { id: `a-${key}`, points: 50, counts: true, reason }))
  await good(post('redemptions', { id: `r-${key}`, points: 1, reason }))
  await app.predict(anOrder({ user_id: id, order_id: `p-${key}` }))
  await app.service.deps.predictions.flushAll()
}

async function countAccounts(apps: readonly TestApp[]): Promise<void> {
  for (const app of apps) {
    await sweptAccounts(app)
    await foldedAccounts(app)
  }
}

type Asked = Readonly<{ body?: unknown; accept?: string }>

/** Two services on the two databases, with the same handles, and a viewer of each. */
async function openPair(t: TestContext) {
  const now = () => new Date(NOW)
  const databaseUrl = await testDatabase(t)
  const apps = [
    await openEmbeddedApp(t, { now }),
    await openTestAppAt(t, databaseUrl, {
      now,
      jobs: { server: serverOf(readConfig({ DATABASE_URL: databaseUrl }))! },
    }),
  ] as const
  const handles = apps[0].service.deps.handles
  Object.assign(apps[1].service.deps, { handles })
  const viewers: { token: string; ids: string[] }[] = []
  const editors: string[] = []
  for (const app of apps) {
    const source = `${STARTER_PROGRAM}redeem: { value: { points: 1, pays: 1 } }\npoints: { expire: { after: P12M } }\n`
    assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source } } })).status, 200)
    await app.upsertProducts([aProduct()])
    await app.upsertPlayers([aPlayer({ User_id: 'm-other', Refercode: 'OTHER' })])
    const { body } = await app.ask('POST', '/api/admin/tokens', {
      body: { data: { name: 'viewer', scopes: ['read'] } },
    })
    viewers.push({ token: body.token, ids: [body.id, app.service.ownToken.split('_')[1]!] })
    const data = { name: 'editor', scopes: ['read', 'program'] }
    editors.push((await app.ask('POST', '/api/admin/tokens', { body: { data } })).body.token)
  }
  /** Asks as the viewer of one of them. The ids of tokens, which differ, are replaced. */
  async function ask(
    index: 0 | 1,
    method: string,
    path: string,
    { accept = 'application/json', ...rest }: Asked = {},
  ): Promise<Reply> {
    const { token, ids } = viewers[index]!
    let reply: Reply
    // A simulation has 5 seconds, which a busy machine may not have for it.
    await eventually('the answer is computed in time', async () => {
      reply = await apps[index].ask(method, path, { ...rest, headers: { token, accept } })
      return !reply.text.includes('this takes more than 5 seconds')
    })
    return { ...reply!, text: ids.reduce((text, id) => text.replaceAll(id, 'token'), reply!.text) }
  }

  /** The path of a job of one of them that has ended; a verification is for administrators. */
  const endedJobOf = (index: 0 | 1, data: (typeof JOBS)[number]): Promise<string> =>
    endedJob(apps[index], data.kind === 'verify' ? apps[index].service.ownToken : editors[index]!, data)

  return { apps, handles, editors, ask, endedJobOf }
}

test('two services that differ in what is masked of one person answer a viewer alike on every route, byte for byte (decision 218)', async (t) => {
  const { apps, handles, editors, ask, endedJobOf } = await openPair(t)
  const tried = new Set<string>()
  /** The responses of both, which must be equal but for the ids of their tokens. */
  async function compare(method: string, route: string, path: string, options?: Asked): Promise<Reply> {
    tried.add(`${method} ${route}`)
    const [one, other] = await Promise.all([ask(0, method, path, options), ask(1, method, path, options)])
    assert.deepEqual(
      [one.status, one.text, one.headers.link],
      [other.status, other.text, other.headers.link],
      `${method} ${path}`,
    )
    assert(one.status < 500, `${method} ${path}: ${one.text}`)
    return one
  }

  async function comparePages(route: string, path: string, limit: number, accept: string): Promise<void> {
    let after = ''
    do {
      const sign = path.includes('?') ? '&' : '?'
      const page = `${path}${sign}limit=${limit}${after}`
      await compare('GET', route, page, { accept })
      const { body } = await compare('GET', route, page)
      after = body.after === null || body.after === undefined ? '' : `&after=${body.after}`
    } while (after !== '')
  }

  let round = 0
  await fc.assert(
    fc.asyncProperty(masked, masked, asked, async (one, other, { condition, at, limit, format }) => {
      round += 1
      const id = `p-${round}`
      await addPerson(apps[0], id, one)
      await addPerson(apps[1], id, other)
      const handle = handles.of(id)
      await comparePages('/api/admin/players', '/api/admin/players', limit, format)
      await compare(
        'GET',
        '/api/admin/players',
        `/api/admin/players?prefix=${one.Name.slice(0, 1)}`.replace(/[^\w/?=]/g, 'x'),
      )
      for (const filter of [
        ...['', `?user_id=${handle}`, `?referrer_id=${handle}`, '?from=2020-01-01T00:00:00Z', '?prefix=o-p-1'],
        ...['?to=2026-06-01T12:00:00.001Z', '?nothing=nothing-paid'],
      ])
        await comparePages('/api/admin/orders', `/api/admin/orders${filter}`, limit, format)
      await compare('GET', '/api/admin/orders/:order_id', `/api/admin/orders/o-${id}?explain=true`)
      await compare('GET', '/api/admin/players/:user_id', `/api/admin/players/${handle}`)
      await compare('GET', '/api/players/:user_id', `/api/players/${handle}?explain=true`)
      await compare('GET', '/api/players/:user_id', `/api/players/${id}?at=2026-05-01`)
      await comparePages('/api/players/:user_id/redemptions', `/api/players/${handle}/redemptions`, limit, format)
      await comparePages(
        '/api/admin/players/:user_id/predictions',
        `/api/admin/players/${handle}/predictions`,
        limit,
        format,
      )
      await compare('POST', '/api/admin/players/search', '/api/admin/players/search', {
        body: { data: { user_id: handle } },
      })
      const source = programOn(condition)
      for (const order of [
        { user_id: handle, total_amount: 10, ordered_at: at.replace(/T.*/, 'T09:00:00Z') },
        anOrder({ user_id: id, order_id: `o-${id}` }),
      ]) {
        const { body } = await compare('POST', '/api/admin/simulations', '/api/admin/simulations', {
          body: { data: { order, under_source: source } },
        })
        if (body.left_out !== undefined) assert.deepEqual(body.left_out, HIDDEN_FROM_RULES)
      }
    }),
    { numRuns: 12, endOnFailure: true },
  )
  await Promise.all(apps.map((app) => app.service.deps.activity.flush()))
  await countAccounts(apps)
  for (const route of STATISTICS)
    for (const query of ['', '?basis=posted', '?basis=posted&per=month', '?from=2026-05-01&to=2026-06-01&per=span'])
      await compare('GET', `/api/admin/statistics/${route}`, `/api/admin/statistics/${route}${query}`)
  await compare('GET', '/api/admin/statistics/summary', '/api/admin/statistics/summary?compare=true')
  await comparePages('/api/admin/products', '/api/admin/products?prefix=TEA', 1, 'text/csv')
  for (const route of [
    'products',
    'products/:product_sku_id',
    'settings',
    'deviations',
    'sources',
    'sources/:record_type/refusals',
    'feeds',
    'feeds/:noun/refusals',
    'jobs',
    'jobs/:id',
    'programs',
    'programs/:version',
    'drafts',
    'drafts/:id',
  ]) {
    const path = route
      .replace(':product_sku_id', 'TEA-1')
      .replace(/:(?:noun|record_type)/, 'players')
      .replace(':version', 'current')
      .replace(':id', '0123456789ab')
    await compare('GET', `/api/admin/${route}`, `/api/admin/${path}`)
  }

  const diff = { body: { data: { to_source: STARTER_PROGRAM } } }
  await compare('POST', '/api/admin/programs/diff', '/api/admin/programs/diff', diff)

  const one = await resultOf(apps[0], editors[0]!, BACKTEST)
  assert.deepEqual([one.left_out, one.orders, one.points.after], [HIDDEN_FROM_RULES, 2 * round, '0'])
  for (const job of JOBS) {
    const texts = await Promise.all(
      ([0, 1] as const).map(async (index) => {
        const { text } = await ask(index, 'GET', await endedJobOf(index, job))
        return text.slice(text.indexOf('"result":'))
      }),
    )
    const [text = '', otherText] = texts
    assert.equal(text, otherText, job.kind)
    assert.match(text, /^"result":\{/)
    assert(job.kind !== 'points-expiring' || text.includes(HANDLE_PREFIX), text)
  }
  const forSupport = await resultOf(apps[0], apps[0].service.ownToken, BACKTEST)
  assert.deepEqual(forSupport.left_out, [])
  assert(Number(forSupport.points.after) >= 1_001_000 * round, forSupport.points.after)

  const forViewers = describedRoutes()
    .filter(({ scopes }) => scopes.includes('read'))
    .map(({ methods, path }) => `${methods[0]} ${path}`)
  assert(forViewers.length > 20)
  assert.deepEqual(
    forViewers.filter((name) => !tried.has(name) && !EXEMPT.includes(name)),
    [],
  )
})

/** A value in which each list is a set: in the order of its elements' texts. */
function asSets(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(asSets).sort((one, other) => textOrder(JSON.stringify(one), JSON.stringify(other)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, asSets(part)]))
}

const textOrder = (one: string, other: string) => (one < other ? -1 : 1)

const ids = fc.record({ one: fc.oneof(words, digits), other: fc.oneof(words, digits) })

test('two services in which a person has another id answer a viewer alike, but for handles and places in lists (decision 218)', async (t) => {
  const { apps, handles, ask, endedJobOf } = await openPair(t)
  /** Of each service, the handles of all persons so far. */
  const persons: [string[], string[]] = [[], []]

  /** What a service answers about the latest person, who is `:handle` in paths and bodies. */
  async function responseOf(index: 0 | 1, method: string, path: string, { body, accept }: Asked = {}): Promise<Reply> {
    const named = (text: string) => text.replaceAll(':handle', persons[index].at(-1)!)
    const sent = body === undefined ? {} : { body: JSON.parse(named(JSON.stringify(body))) }
    const reply = await ask(index, method, named(path), { ...sent, ...(accept === undefined ? {} : { accept }) })
    const text = persons[index].reduce((all, handle, nth) => all.replaceAll(handle, `person-${nth}`), reply.text)
    return { ...reply, text }
  }

  async function compare(method: string, path: string, body?: unknown): Promise<void> {
    const [one, other] = await Promise.all(([0, 1] as const).map((index) => responseOf(index, method, path, { body })))
    assert(one!.status < 500, `${method} ${path}: ${one!.text}`)
    const shown = ({ status, text }: Reply) => [status, asSets(JSON.parse(text))]
    assert.deepEqual(shown(one!), shown(other!), `${method} ${path}`)
  }

  /** The lines of all pages of a list, and how many pages there are. */
  async function pagesOf(index: 0 | 1, path: string, limit: number, accept: string): Promise<readonly string[]> {
    const lines: string[] = []
    for (let after = '', pages = 1; ; pages += 1) {
      const page = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${after}`
      lines.push(...(await responseOf(index, 'GET', page, { accept })).text.split(/\r?\n/))
      const { body } = await responseOf(index, 'GET', page)
      if (typeof body.after !== 'string') return [...lines.sort(), `${pages} pages`]
      after = `&after=${body.after}`
    }
  }

  async function comparePages(path: string, limit: number, format: string): Promise<void> {
    // A page in JSON is one line: its records are compared in the format with a line for each.
    const accept = format === 'application/json' ? 'application/x-ndjson' : format
    const [one, other] = await Promise.all(([0, 1] as const).map((index) => pagesOf(index, path, limit, accept)))
    assert.deepEqual(one, other, `GET ${path}`)
  }

  let round = 0
  await fc.assert(
    fc.asyncProperty(masked, ids, asked, async (person, { one, other }, { condition, at, limit, format }) => {
      round += 1
      for (const [index, id] of [one, other].entries()) {
        await addPerson(apps[index]!, `${id}-${round}`, person, `${round}`)
        persons[index]!.push(handles.of(`${id}-${round}`))
      }
      for (const path of [
        '/api/admin/players',
        '/api/admin/orders',
        '/api/admin/orders?user_id=:handle',
        '/api/players/:handle/redemptions',
        '/api/admin/players/:handle/predictions',
      ])
        await comparePages(path, limit, format)
      for (const path of [
        `/api/admin/orders/o-${round}?explain=true`,
        '/api/admin/players/:handle',
        '/api/players/:handle?explain=true',
        '/api/players/:handle?at=2026-05-01',
      ])
        await compare('GET', path)
      await compare('POST', '/api/admin/players/search', { data: { user_id: ':handle' } })
      const order = { user_id: ':handle', total_amount: 10, ordered_at: at.replace(/T.*/, 'T09:00:00Z') }
      const source = programOn(condition)
      await compare('POST', '/api/admin/simulations', { data: { order, under_source: source } })
    }),
    { numRuns: 8, endOnFailure: true },
  )
  await Promise.all(apps.map((app) => app.service.deps.activity.flush()))
  await countAccounts(apps)
  for (const route of STATISTICS) await compare('GET', `/api/admin/statistics/${route}`)
  for (const route of ['deviations', 'sources/players/refusals']) await compare('GET', `/api/admin/${route}`)
  // Who comes after a player is a place in a list, and so is who is among the five that a backtest names of those who move.
  const named = (key: string, value: unknown[]) => (key === 'user_ids' ? value.length : value)
  for (const job of JOBS.filter((one) => !('after' in one))) {
    const [one, other] = await Promise.all(
      ([0, 1] as const).map(async (index) => {
        const { text } = await responseOf(index, 'GET', await endedJobOf(index, job))
        return asSets(JSON.parse(text, named).result)
      }),
    )
    assert.deepEqual(one, other, job.kind)
  }
})
