import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestPglite, openTestPostgres } from '../support/databases.ts'

const soon = () => performance.now() + 60_000

// The SQL of a value, and the value returned by both drivers.
const values = [
  ["'text with ''quotes'', ünïcode and 🍵'::text", "text with 'quotes', ünïcode and 🍵"],
  ["''::text", ''],
  ['null::text', null],
  ['\'key\'::text collate "C"', 'key'],
  ['true', true],
  ['null::boolean', null],
  ['7::smallint', 7],
  ["'-2147483648'::int", -2147483648],
  ['9007199254740991::bigint', Number.MAX_SAFE_INTEGER],
  ["'-9007199254740991'::bigint", Number.MIN_SAFE_INTEGER],
  ['null::bigint', null],
  ['count(*)', 1],
  ['sum(7::bigint)', '7'],
  ['12.3400::numeric', '12.3400'],
  ['1234567890123456789.0001::numeric', '1234567890123456789.0001'],
  ["date '1900-01-01'", '1900-01-01'],
  ["timestamptz '2026-01-31 12:00:00.123456+02'", '2026-01-31 10:00:00.123456+00'],
  ["timestamptz '2026-07-31 12:00:00+00'", '2026-07-31 12:00:00+00'],
  ["timestamp '2026-01-31 12:00:00'", '2026-01-31 12:00:00'],
  ["interval '1 day 2 hours'", '1 day 02:00:00'],
  [`'{"a": [1, null, "x"], "b": {"c": 1.50}}'::jsonb`, { a: [1, null, 'x'], b: { c: 1.5 } }],
  ["'null'::jsonb", null],
  ["'[]'::json", []],
  ["array['a', null, 'b,\"c']::text[]", ['a', null, 'b,"c']],
  ["'{}'::text[]", []],
  ['array[1, null, 9007199254740991]::bigint[]', [1, null, Number.MAX_SAFE_INTEGER]],
  ['array[1, 2]::int[]', [1, 2]],
  ['array[true, false]', [true, false]],
  ["array[date '2026-01-31']", ['2026-01-31']],
  ['array[1.50, 2]::numeric[]', ['1.50', '2']],
] as const

// A parameter, its SQL type, and its text in the database.
const parameters = [
  ['a "quoted" \\ text', 'text', 'a "quoted" \\ text'],
  [null, 'text', null],
  [true, 'boolean', 'true'],
  [Number.MAX_SAFE_INTEGER, 'bigint', '9007199254740991'],
  ['12.3400', 'numeric', '12.3400'],
  ['2026-01-31T10:00:00.5Z', 'timestamptz', '2026-01-31 10:00:00.5+00'],
  [['a', null, 'b,"c', '', 'null', 'd\\e'], 'text[]', '{a,NULL,"b,\\"c","","null","d\\\\e"}'],
  [[], 'text[]', '{}'],
  [[1, null, 3], 'bigint[]', '{1,NULL,3}'],
  [[true, false], 'boolean[]', '{t,f}'],
  [['1.50', null], 'numeric[]', '{1.50,NULL}'],
  ['{"a": [1, null]}', 'jsonb', '{"a": [1, null]}'],
] as const

for (const [driver, openTestDb] of [
  ['pglite', openTestPglite],
  ['postgres', openTestPostgres],
] as const) {
  test(`${driver} returns every value as the other driver does`, async (t) => {
    const db = await openTestDb(t)
    const [row] = await db.read(`select ${values.map(([sql], i) => `${sql} as v${i}`).join(', ')}`, [], soon())
    for (const [i, [sql, value]] of values.entries())
      assert.deepEqual((row as Record<string, unknown>)[`v${i}`], value, sql)
    await assert.rejects(db.read('select 9007199254740992::bigint as v', [], soon()), /safe/)
  })

  test(`${driver} accepts every parameter as the other driver does`, async (t) => {
    const db = await openTestDb(t)
    for (const [value, type, text] of parameters) {
      const [row] = await db.read<{ v: string }>(`select $1::${type}::text as v`, [value], soon())
      assert.deepEqual(row?.v, text, `${type} ${JSON.stringify(value)}`)
    }
  })

  test(`${driver} identifies a failure by its SQLSTATE`, async (t) => {
    const db = await openTestDb(t)
    const cases = [
      ['select 1/0 as v', '22012'],
      ['select nowhere', '42703'],
      ['selec 1', '42601'],
      ["select 'x'::date as v", '22007'],
    ]
    for (const [sql, code] of cases) await assert.rejects(db.read(sql!, [], soon()), { code })
  })
}
