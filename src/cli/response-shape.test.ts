import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { CHECKED, responseShapesText } from '../../scripts/response-shapes.ts'
import { EVIL, evilAnswer, type Schema, UNKNOWN } from '../../test/support/hostile-responses.ts'
import { isAddedField } from '../engine/points/json-schema.ts'
import { type CheckedName, lacking } from './response-shape.ts'

const OTHERS: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  EVIL,
  '2026-01-31',
  [],
  [null],
  {},
  { a: 1 },
]

test('the shapes in the repository are those of the code', () => {
  const file = readFileSync(new URL('../../schemas/responses.json', import.meta.url), 'utf8')
  assert.equal(file, responseShapesText(), 'schemas/responses.json is out of date: npm run schemas')
})

test('what commands take for an answer is what the schema of its route or of its kind of job allows, any word where that lists some, and answers without fields that were added since', () => {
  let allowed = 0
  let refused = 0
  for (const [name, schema] of Object.entries(CHECKED) as [CheckedName, TSchema][]) {
    const check = Compile(asTaken(schema) as TSchema)
    for (const isLeast of [true, false]) {
      const response = evilAnswer(schema as Schema, isLeast)
      assert.equal(lacking(name, response), undefined, name)
      for (const changed of changes(response)) {
        const found = lacking(name, changed)
        if ((found === undefined) !== check.Check(changed)) assert.fail(`${name} ${found} ${JSON.stringify(changed)}`)
        if (found === undefined) allowed += 1
        else refused += 1
      }
    }
  }
  assert(allowed > 500 && refused > 10_000, `${allowed} were allowed and ${refused} refused`)
})

/** A value with each part replaced by each of OTHERS, one at a time, and with each field left out; of lists the last element is changed. */
function changes(value: unknown): unknown[] {
  if (Array.isArray(value)) return [...OTHERS, ...changes(value.at(-1)).map((last) => [...value.slice(0, -1), last])]
  if (typeof value !== 'object' || value === null) return [...OTHERS]
  const declared = Object.entries(value).filter(([name]) => !(name in UNKNOWN))
  return [
    ...OTHERS,
    ...declared.flatMap(([name, one]) => changes(one).map((other) => ({ ...value, [name]: other }))),
    ...declared.map(([name]) => Object.fromEntries(declared.filter(([other]) => other !== name))),
  ]
}

/** Without the lists of words, and without requiring what was added. */
function asTaken(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asTaken)
  if (typeof schema !== 'object' || schema === null) return schema
  const { enum: words, ...rest } = schema as Schema & Readonly<{ required?: readonly string[] }>
  const { properties = {}, required } = rest
  const kept = required?.filter((name) => !isAddedField(properties[name]!))
  const taken = kept === undefined ? rest : { ...rest, required: kept }
  return Object.fromEntries(Object.entries(taken).map(([name, inner]) => [name, asTaken(inner)]))
}
