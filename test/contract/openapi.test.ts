import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { describedRoutes, openApiDocument } from '../../scripts/openapi-document.ts'
import { JOB_KIND_NAMES } from '../../src/resources/jobs/kinds/names.ts'
import { RESPONSES } from '../../src/server/responses.ts'
import { TOKENLESS_PATHS } from '../../src/server/tokenless-operations.ts'
import { API, OPERATIONS } from '../support/api-description.ts'
import { BAD_ORDERS, BAD_PLAYERS, BAD_PRODUCTS, withField } from '../support/bad-values.ts'
import { anOrder, aPlayer, aProduct } from '../support/builders.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { openTestApp, send } from '../support/test-app.ts'

type Range = Readonly<{ type?: string; minimum?: number; maximum?: number }>

/** Alternative forms that the service accepts: numbers as texts, null for optional fields, a list as a text. */
const GOOD = {
  '/api/predictions/orders': {
    total_amount: [1200, '0012', 999999999999999, '9007199254740991', '0009007199254740989'],
    products: [[], '[]', [{}], [{ qty: null }], [{ amount: 4.1 }, { amount: 0.0003 }, { amount: 12345.6789 }]],
    phone: [5, null],
    subscript_points: ['true', false, null],
  },
  '/api/integration/players': {
    Phone: ['', 91, null],
    Pincode: [1, '01'],
    Email: ['', null],
    Add: [null, ''],
    DOB: ['29-02-2000', '29-02-1904', '30-11-1999', '31-12-2024'],
  },
  '/api/integration/products': { amount: [0, '4.50', 4.5, 0.29] },
} as const

test('the API description needs no token, lists every route, and is the same in the repository as served (decisions 66 and 110)', async (t) => {
  const app = await openTestApp(t)
  const { status, body } = await send(app.url, 'GET', '/openapi.json', undefined, {})
  assert.deepEqual([status, body.openapi], [200, '3.1.0'])
  const routes = describedRoutes().flatMap(({ methods, path }) =>
    methods.filter((method) => method !== 'QUERY').map((method) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  )
  assert.deepEqual(
    OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort(),
    [...routes, ...TOKENLESS_PATHS.map((path) => `GET ${path}`)].sort(),
  )
  const ids = OPERATIONS.map(({ operationId }) => operationId)
  assert.deepEqual([...new Set(ids)], ids, 'an operationId occurs twice')
  assert.deepEqual(body, JSON.parse(JSON.stringify(openApiDocument())))
  const file = readFileSync(join(PROJECT, 'schemas/openapi.json'), 'utf8')
  assert.equal(file, `${JSON.stringify(body, null, 2)}\n`, 'schemas/openapi.json is out of date: npm run schemas')
})

test('the API description describes every operation, parameter and field, and has an example of each request and answer (decision 110)', () => {
  for (const { operationId, tags, summary, description, parameters = [], requestBody, responses } of OPERATIONS) {
    assert(tags.length === 1 && summary !== '' && description !== '', operationId)
    for (const parameter of parameters) assert(parameter.description, `${operationId} ${parameter.name}`)
    const media = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))
    assert(media.length > 0, operationId)
    for (const { example } of media) assert(example !== undefined, `${operationId} without an example`)
  }
  assert.deepEqual(undescribedFields(API), [])
})

test('the API description of jobs names every kind, what each counts, and who may have started it (decisions 125 and 128)', () => {
  const { kind, requested_by, progress } = RESPONSES['POST /api/admin/jobs/:id/cancel'].properties
  const [kinds, askers, counted] = [kind, requested_by, progress.items.properties.of].map(
    (schema: TSchema & { description?: string }) => (schema.description ?? '').split(/[^\w-]+/),
  ) as [string[], string[], string[]]
  assert.deepEqual(kinds.filter((word) => word !== 'or').sort(), [...JOB_KIND_NAMES].sort())
  assert(askers.includes('service'))
  for (const noun of ['orders', 'players', 'predictions', 'entries', 'kinds']) assert(counted.includes(noun), noun)
})

test('the request schemas allow and refuse what the service does (decision 110)', () => {
  const operations = [
    ['/api/predictions/orders', 'get', anOrder(), BAD_ORDERS, (data: unknown) => data],
    ['/api/integration/players', 'post', aPlayer(), BAD_PLAYERS, (data: unknown) => [data]],
    ['/api/integration/products', 'post', aProduct(), BAD_PRODUCTS, (data: unknown) => [data]],
  ] as const
  for (const [path, method, good, bad, envelope] of operations) {
    const { requestBody } = API.paths[path]![method]!
    const check = Compile(requestBody!.content['application/json']!.schema as TSchema)
    const accepts = (record: unknown) => check.Check({ data: envelope(record) })
    assert(accepts(good), path)
    for (const [field, values] of Object.entries(GOOD[path])) {
      for (const value of values)
        assert(accepts({ ...good, [field]: value }), `${path} ${field} ${JSON.stringify(value)}`)
    }
    for (const [field, values] of Object.entries(bad)) {
      for (const value of values.filter((one) => !isInexpressible(field, one)))
        assert(!accepts(JSON.parse(withField(good, field, value))), `${path} ${field} ${value}`)
    }
  }
})

test('a parameter that is a whole number takes nothing else, alone and beside others: no sign, exponent, blank, point or foreign digit', async (t) => {
  const app = await openTestApp(t)
  const numbers = OPERATIONS.flatMap(({ operationId, path, parameters = [] }) => {
    const inQuery = parameters.filter((one) => one.in === 'query') as { name: string; schema: TSchema & Range }[]
    const whole = inQuery.filter(({ schema }) => schema.type === 'integer')
    return path.includes('{') ? [] : whole.map((one) => ({ operationId, path, one, others: whole }))
  })
  assert(numbers.length > 5, 'the parameters were not found')
  for (const { operationId, path, one, others } of numbers) {
    const { method, requestBody } = OPERATIONS.find((operation) => operation.operationId === operationId)!
    const { minimum = 0, maximum = 0 } = one.schema
    const ask = (query: Record<string, string>) =>
      app.ask(
        method,
        `${path}?${new URLSearchParams(query)}`,
        requestBody === undefined ? {} : { body: { data: { user_id: 'u-1' } } },
      )
    const wrong = ['', ' ', '-1', '+5', ' 5', '5 ', '5\n', '1e1', '5.0', '0x5', '5_0', '٥', 'NaN']
    for (const value of [...wrong, String(minimum - 1), String(maximum + 1)]) {
      const beside = others.filter(({ name }) => name !== one.name).map(({ name }) => ({ [name]: '1' }))
      for (const more of [{}, ...beside]) {
        const { status, body } = await ask({ [one.name]: value, ...more })
        assert.deepEqual([status, body.path], [400, `query.${one.name}`], `${operationId} ${JSON.stringify(value)}`)
      }
    }
  }
})

test('the schemas of redemptions allow exactly what the service accepts: points above 0, and either points or a reward', async (t) => {
  const app = await openTestApp(t)
  const zeros = fc.integer({ min: 0, max: 20 }).map((count) => '0'.repeat(count))
  const digits = fc.bigInt({ min: 0n, max: 10n ** 17n }).map(String)
  const near = fc.integer({ min: -3, max: 3 }).map((apart) => String(BigInt(Number.MAX_SAFE_INTEGER) + BigInt(apart)))
  const few = fc.constantFrom('0', '1', '9', '10')
  const texts = fc.sample(
    fc.tuple(zeros, fc.oneof(digits, near, few)).map(([before, number]) => before + number),
    { numRuns: 200, seed: 4 },
  )
  const numbers = [0, -0, 1, 5, 1.5, -1, 2 ** 53 - 1, 2 ** 53, 1e300]
  const others = [undefined, null, '', ' ', '0', '00', '-1', '+1', '1.0', '1e3', ' 1', '١', 'x', true, [], {}]
  const points = [...numbers, ...others, ...texts]
  const rewards = [undefined, null, '', 'cup', ' ', 'x'.repeat(500), 'x'.repeat(501), 'a\u0000', 5, true, [], {}]
  const given = { id: 'r-1', reason: 'why' }
  const redemptions = [
    ...points.flatMap((one) => rewards.slice(0, 4).map((reward) => ({ ...given, points: one, reward }))),
    ...rewards.flatMap((reward) => [undefined, null, 0, 5].map((one) => ({ ...given, points: one, reward }))),
    ...['id', 'reason', 'hold', 'order_id'].flatMap((name) =>
      [...others, true, false, 'true', 'False', 0].map((value) => ({ ...given, points: 5, [name]: value })),
    ),
  ]
  const cases = [
    ['/api/players/{user_id}/redemptions', redemptions],
    ['/api/players/{user_id}/redemptions/{redemption_id}/confirm', points.map((one) => ({ points: one }))],
    ['/api/players/{user_id}/redemptions/{redemption_id}/void', points.map((one) => ({ points: one, reason: 'why' }))],
  ] as const
  for (const [path, bodies] of cases) {
    const check = Compile(API.paths[path]!.post!.requestBody!.content['application/json']!.schema as TSchema)
    const outcomes = new Set<number>()
    for (const data of bodies) {
      const body = JSON.stringify({ data })
      // There is no such player: what can be read is answered with 404.
      const { status, text } = await app.ask('POST', path.replaceAll(/\{(\w+)\}/g, '$1'), { body })
      outcomes.add(status)
      assert.equal(status, check.Check(JSON.parse(body)) ? 404 : 400, `${path} ${body}: ${text}`)
    }
    assert.deepEqual([...outcomes].sort(), [400, 404], path)
  }
})

test('the pattern of overlap matches exactly what the service accepts: at most 30 days', async (t) => {
  const app = await openTestApp(t)
  const path = '/api/admin/tokens/{id}/rotate'
  const { schema } = API.paths[path]!.post!.parameters!.find(({ name }) => name === 'overlap')!
  const pattern = new RegExp((schema as { pattern: string }).pattern)
  const counts = [
    '',
    '0',
    '01',
    '-1',
    '1.5',
    '10000',
    '99999',
    ...[1, 2, 4, 5, 6, 9, 10, 29, 30, 31, 60, 99, 100, 699, 700],
  ]
  const larger = [709, 710, 719, 720, 721, 722, 729, 730, 799, 800, 999, 1_000, 4_320, 9_999]
  let allowed = 0
  for (const count of [...counts, ...larger])
    for (const unit of ['m', 'h', 'd', 'w', 'M', 's', 'y', '', ' d', 'd ', 'd\n', 'dd']) {
      const overlap = `${count}${unit}`
      // There is no such token: what can be read is answered with 404.
      const { status } = await app.ask(
        'POST',
        `/api/admin/tokens/0123456789ab/rotate?${new URLSearchParams({ overlap })}`,
      )
      assert.equal(status, pattern.test(overlap) ? 404 : 400, overlap)
      if (status === 404) allowed += 1
    }
  assert(allowed > 40, `only ${allowed} were allowed`)
})

/** Faults that no schema can express: broken characters, texts that are not a list of lines, times, numbers changed by JSON. */
function isInexpressible(field: string, value: string): boolean {
  const isText = value.startsWith('"')
  if (isText && ['products', 'ordered_at'].includes(field)) return true
  // The number of decimals of an amount depends on the program (decision 69).
  if (['total_amount', 'discount'].includes(field) && /^"?\d+\.\d+"?$/.test(value)) return true
  return /\\ud[8-f]/.test(value)
}

/** The paths of properties without a description; a reference to a described schema counts as one. */
function undescribedFields(node: unknown, path = ''): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, inner]) => {
    if (key === 'example' || key === 'examples') return []
    const fields = key === 'properties' ? Object.entries(inner as Record<string, { description?: string }>) : []
    const silent = fields.filter(
      ([name, { description }]) => !description && !(name === 'data' && path.includes('requestBody')),
    )
    return [...silent.map(([name]) => `${path}.${name}`), ...undescribedFields(inner, `${path}.${key}`)]
  })
}
