import assert from 'node:assert/strict'
import test from 'node:test'
import { refusalKind } from './refusal-kind.ts'

const CASES = [
  ['data[3].DOB', 'expected a date that exists, DD-MM-YYYY, got "31-02-1990"', 'DOB', 'a date that exists, DD-MM-YYYY'],
  ['data[0].Name', 'Name is required, got null', 'Name', 'required'],
  ['data[17].products[2].qty', 'expected a number from 0, got "x, got y"', 'products.qty', 'a number from 0'],
  ['data[1]', 'expected an object, got "secret"', '', 'an object'],
  ['data[1].user_id', 'there is no player asha@example.com: send players first', 'user_id', 'unknown player'],
  ['data[1].order_id', 'order asha@example.com belongs to another player', 'order_id', 'of another player'],
  [
    'data[1].id',
    'adjustment asha already exists with different content: a new one needs a new id',
    'id',
    'other content',
  ],
  [
    'data[1].points',
    'expected an adjustment that leaves the account with less',
    'points',
    'an adjustment that leaves the account with less',
  ],
  ['data[1].x', 'asha@example.com is not welcome', 'x', 'other'],
] as const

test('a refusal is counted by field and kind, without any of the values sent', () => {
  for (const [path, error, field, kind] of CASES) assert.deepEqual(refusalKind({ path, error }), { field, kind }, error)
  const long = refusalKind({ path: `data[0].${'f'.repeat(200)}`, error: `expected ${'x'.repeat(200)}, got 1` })
  assert.deepEqual([long.field.length, long.kind.length], [100, 100], 'no more than 100 characters of each')
  assert.deepEqual(refusalKind({ path: 'data[0].state_version', error: 'too late', verdict: 'stale' }), {
    field: 'state_version',
    kind: 'stale',
  })
})
