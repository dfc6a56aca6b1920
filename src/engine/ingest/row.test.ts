import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { ABSENT, escaped, valuesOf } from './row.ts'

const texts = fc.array(
  fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', 't', 'n', 'N', '.') }),
  ),
  {
    minLength: 1,
  },
)

test('values come out of a row as they went in, including absent ones, and a row is one line', () => {
  fc.assert(
    fc.property(texts, (values) => {
      const row = values.map((value) => (value === null ? ABSENT : escaped(value))).join('\t')
      assert.deepEqual(valuesOf(row), values)
      assert.doesNotMatch(row, /[\n\r]/)
    }),
  )
})
