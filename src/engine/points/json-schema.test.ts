import assert from 'node:assert/strict'
import test from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './json-schema.ts'

/** A schema that uses all builders. */
const made = (by: typeof Type) =>
  by.Object(
    {
      list: by.Array(by.Integer({ minimum: 0 }), { maxItems: 2 }),
      flag: by.Optional(by.Boolean({ description: 'a flag' })),
      word: by.Enum(['one', 'other'], { description: 'one of two' }),
      fixed: by.Literal('fixed'),
      nothing: by.Optional(by.Union([by.Null(), by.Number()], { description: 'a number or null' })),
      kept: by.Immutable(by.Array(by.Unknown())),
      own: by.Unsafe(by.String()),
      inner: by.Object({ only: by.Optional(by.Optional(by.String())) }),
    },
    { additionalProperties: false },
  )

/** Includes the non-enumerable properties that TypeBox reads. */
function everything(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(everything)
  if (typeof value !== 'object' || value === null) return value
  return Object.getOwnPropertyNames(value).map((name) => [name, everything((value as Record<string, unknown>)[name])])
}

test('every builder makes the schema that TypeBox would make, in the same order, with its hidden properties', () => {
  assert.deepEqual(everything(made(Type)), everything(made(TypeBox)))
  assert.equal(JSON.stringify(made(Type)), JSON.stringify(made(TypeBox)))
  const used = new Set([...made.toString().matchAll(/by\.(\w+)/g)].map(([, name]) => name))
  assert.deepEqual([...used].sort(), Object.keys(Type).sort())
})
