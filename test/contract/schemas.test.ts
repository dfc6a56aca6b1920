import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { parse } from 'yaml'
import { casesSchemaText } from '../../src/engine/ingest/cases/cases-schema.ts'
import { readProgram } from '../../src/engine/points/program.ts'
import { programSchema, programSchemaText } from '../../src/engine/points/program-schema.ts'
import { STARTER_PROGRAM } from '../../src/engine/points/starter-program.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { openTestApp, send } from '../support/test-app.ts'

/** A program with every possible field. */
const FULL = {
  name: 'Full',
  rounding: 'half-up',
  levels: {
    counts: { window: 'P12M' },
    ladder: [
      { name: 'Guest', from: 0 },
      { name: 'Friend', from: 1000 },
    ],
  },
  earn: [
    { name: 'base', 'per-amount': { points: '0.5', every: 10, of: 'lines', 'whole-steps': true } },
    { name: 'tea', when: 'line.sku == "TEA"', 'per-unit': { points: 5 } },
    { name: 'once', fixed: { points: 0.25 } },
    { name: 'more', multiply: { by: '1.5', rules: ['base'] } },
    { name: 'ceiling', 'at-most': { points: 0 } },
  ],
  referral: { friend: 50, referrer: 100, counts: false },
  messages: { upgraded: 'Up to {level}.', stays: 'Still {level}.', falls: 'Now {level}.' },
}

test('the program schema needs no token, and is the same in the repository as served (decision 66)', async (t) => {
  const app = await openTestApp(t)
  const { status, headers, text } = await send(app.url, 'GET', '/schemas/program.json', undefined, {})
  assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
  const file = readFileSync(join(PROJECT, 'schemas/program.json'), 'utf8')
  assert.equal(text, file, 'schemas/program.json is out of date: npm run schemas')
})

test('the schema of test orders is served as it is in the repository, and describes every field (decision 164)', async (t) => {
  const app = await openTestApp(t)
  const { status, text } = await send(app.url, 'GET', '/schemas/cases.json', undefined, {})
  assert.equal(status, 200)
  assert.equal(text, readFileSync(join(PROJECT, 'schemas/cases.json'), 'utf8'), 'out of date: npm run schemas')
  const { properties } = JSON.parse(text)
  const step = properties.cases.items.properties.orders.items
  for (const object of [{ properties }, step, step.properties.expect, properties.players.additionalProperties.anyOf[0]])
    for (const [name, field] of Object.entries<{ description?: string }>(object.properties))
      assert((field.description ?? '') !== '', `${name} is not described`)
})

test('an editor accepts the test orders of every example, and marks what is misspelt at each level (decision 164)', () => {
  const published = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(casesSchemaText()))
  const files = globSync('examples/**/*.cases.yaml', { cwd: PROJECT })
  assert(files.length >= 5, 'the examples were not found')
  const wishes = [
    ...readFileSync(join(PROJECT, 'docs/cookbook.md'), 'utf8').matchAll(/```yaml\n([^`]*^cases:[^`]*)```/gm),
  ]
  assert(wishes.length >= 20, 'the wishes were not found')
  const texts = [...files.map((file) => readFileSync(join(PROJECT, file), 'utf8')), ...wishes.map(([, text]) => text!)]
  for (const text of texts) assert(published(parse(text)), `${text}\n${JSON.stringify(published.errors)}`)
  for (const misspelt of [
    'case: []',
    'cases: [{ name: a, order: [] }]',
    'cases: [{ name: a, orders: [{ totl: 5 }] }]',
    'cases: [{ name: a, orders: [{ expect: { point: 5 } }] }]',
    'cases: [{ name: a, orders: [{ products: [{ product: a }] }] }]',
    'cases: [{ name: a, orders: [{}] }]\nplayers: { a: { stat: x } }',
    'cases: [{ name: a, orders: [{}] }]\nproducts: { a: { amount: 5, attribute: {} } }',
  ])
    assert(!published(parse(misspelt)), misspelt)
})

test('the program schema names its dialect and describes every field', () => {
  const schema = JSON.parse(programSchemaText())
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.deepEqual(undescribedProperties(schema), [])
  assert(!programSchemaText().includes('"expected"'))
})

test('the schema, as an editor uses it, agrees with the reader about the shape of any program, valid or broken', () => {
  const ajv = new Ajv2020()
  const published = ajv.compile(JSON.parse(programSchemaText()))
  const own = Compile(programSchema)
  for (const good of [FULL, parse(STARTER_PROGRAM)]) {
    assert('program' in readProgram(good))
    assert(published(good), ajv.errorsText(published.errors))
  }
  let refused = 0
  fc.assert(
    fc.property(fc.array(changes, { minLength: 1, maxLength: 3 }), (wanted) => {
      const program = wanted.reduce(changed, structuredClone<unknown>(FULL))
      const isGood = own.Check(program)
      if (!isGood) refused += 1
      assert.equal(published(program), isGood, JSON.stringify(program))
    }),
    { numRuns: 1_000 },
  )
  assert(refused > 100 && refused < 1_000, `${refused} of 1000 programs were refused`)
})

type Change = { at: number; value: unknown; field?: string | null }

const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    '',
    'lifetime',
    'P12M',
    'P1000M',
    'net',
    'x'.repeat(201),
    '1.5',
    '1.23456',
  ),
  fc.constantFrom<unknown>(0, -0, -1, 0.5, 1e-9, 1, 1e15, 2 ** 53, 1e300, '-1', '1e3', ' 1', '\u{1f600}'.repeat(200)),
  fc.constantFrom<unknown>(
    [],
    {},
    ['base'],
    [[]],
    { window: 'P1M' },
    { points: 1 },
    Array(101).fill({ name: 'A', from: 0 }),
  ),
)
const fields = fc.constantFrom('name', 'when', 'counts', 'points', 'per-unit', 'unknown', 'expected', '$schema')
/** A change somewhere in the program: another value, an additional field, or (`null`) a missing one. */
const changes: fc.Arbitrary<Change> = fc.record(
  { at: fc.nat(), value: values, field: fc.option(fields) },
  { requiredKeys: ['at', 'value'] },
)

function changed(program: unknown, { at, value, field }: Change): unknown {
  const root = { program }
  const places = placesIn(root)
  const { holder, key } = places[at % places.length]!
  const held = holder[key]
  const given = structuredClone(value)
  if (field === null && !Array.isArray(holder)) delete holder[key]
  else if (typeof field === 'string' && typeof held === 'object' && held !== null && !Array.isArray(held))
    (held as Record<string, unknown>)[field] = given
  else holder[key] = given
  return root.program
}

function placesIn(holder: object): { holder: Record<string, unknown>; key: string }[] {
  return Object.entries(holder).flatMap(([key, held]) => [
    { holder: holder as Record<string, unknown>, key },
    ...(typeof held === 'object' && held !== null ? placesIn(held) : []),
  ])
}

function undescribedProperties(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, inner]) => [
    ...(key === 'properties'
      ? Object.entries(inner as Record<string, { description?: string }>)
          .filter(([, { description }]) => !description)
          .map(([name]) => `${path}.${name}`)
      : []),
    ...undescribedProperties(inner, `${path}.${key}`),
  ])
}
