import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { InvalidInput } from '../../errors.ts'
import { boolean, decimal, digits, email, key, oneOf, text, timestamp } from './fields.ts'
import { compileReader, type Field, optional, type RecordFields, readRecord, required } from './record.ts'

const FIELDS: readonly Field<unknown>[] = [text, key, email, digits, decimal, boolean, timestamp, oneOf(['a', 'b'])]
const ABSENT: readonly unknown[] = [undefined, '', 0n, { nested: true }]
/** Names that need care in code or as properties; no field may have one that every object inherits. */
const NAMES = ['a', 'B', 'order_id', 'in', 'with "quotes"', '`x`', "it's", '\\', '\n', '\u2028', '0']
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']

const nested: Field<unknown> = {
  schema: text.schema,
  read: (value) => readRecord({ inner: required('inner', text) }, value, '[0]'),
}

const tables: fc.Arbitrary<RecordFields> = fc
  .uniqueArray(
    fc.record({
      wire: fc.constantFrom(...NAMES),
      field: fc.constantFrom(...FIELDS, nested),
      absent: fc.option(fc.constantFrom(...ABSENT), { nil: 'required' }),
    }),
    { selector: ({ wire }) => wire, maxLength: 6 },
  )
  .map((described) =>
    Object.fromEntries(
      described.map(({ wire, field, absent }, index) => [
        `${wire} ${index}`,
        absent === 'required' ? required(wire, field) : optional(wire, field, absent),
      ]),
    ),
  )

const values = fc.oneof(
  fc.constantFrom<unknown>(null, 'a', 'k-1', '1.50', 12, true, 'true', 'a@example.com', '2026-01-31T12:00:00Z', ''),
  fc.constantFrom<unknown>({ inner: 'a' }, { inner: 5 }, {}, [], '\0', 'x'.repeat(501), -1, 1.00001),
  fc.jsonValue({ maxDepth: 1 }),
)
/** Parsed from JSON, so that `__proto__` is a property like any other. */
const sent: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...NAMES, ...INHERITED, 'extra'), values))
      .map((pairs) =>
        JSON.parse(`{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`),
      ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
)

function outcomeOf(read: () => unknown): unknown {
  try {
    return { record: read() }
  } catch (error) {
    assert(error instanceof InvalidInput, String(error))
    return { path: error.path, error: error.message }
  }
}

test('a compiled reader reads what the table does, and refuses with the same path and sentence', () => {
  const seen = { records: 0, refusals: 0 }
  fc.assert(
    fc.property(tables, fc.array(sent, { minLength: 1, maxLength: 8 }), (fields, list) => {
      const read = compileReader(fields)
      for (const data of list) {
        const compiled = outcomeOf(() => read(data, 'data[0]'))
        assert.deepEqual(
          compiled,
          outcomeOf(() => readRecord(fields, data, 'data[0]')),
        )
        seen['record' in (compiled as object) ? 'records' : 'refusals'] += 1
      }
    }),
    { numRuns: 2_000 },
  )
  assert(seen.records > 200 && seen.refusals > 200, JSON.stringify(seen))
})

test('fields keep their order, as a record read by the table has it', () => {
  const fields = { b: required('b', text), a: optional('a', text, 'none'), c: required('c', text) }
  const record = compileReader(fields)({ c: '3', a: null, b: '1', extra: 5 }, 'data')
  assert.deepEqual(Object.entries(record), [
    ['b', '1'],
    ['a', 'none'],
    ['c', '3'],
  ])
})

test('a table whose field has a name that every object inherits is refused when its reader is compiled', () => {
  for (const name of INHERITED)
    assert.throws(() => compileReader({ name: required(name, text) }), /no field can have that name/)
})

test('a fault says where it is: the record, the field, and the place inside it', () => {
  const table = { id: required('order_id', key), inner: required('line', nested) }
  const at = (record: unknown) => outcomeOf(() => readRecord(table, record, 'data[3]'))
  const issue = (path: string, error: string) => ({ path, error })
  assert.deepEqual(at({ line: { inner: 'a' } }), issue('data[3].order_id', 'order_id is required'))
  assert.deepEqual(at({ order_id: null }), issue('data[3].order_id', 'order_id is required, got null'))
  assert.deepEqual(at({ order_id: 5 }), issue('data[3].order_id', 'expected an identifier, got 5'))
  assert.deepEqual(
    at({ order_id: 'o', line: { inner: 5 } }),
    issue('data[3].line[0].inner', 'expected a string, got 5'),
  )
  assert.deepEqual(at([]), issue('data[3]', 'expected an object, got an array'))
})
