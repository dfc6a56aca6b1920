import assert from 'node:assert/strict'
import test from 'node:test'
import { refusalKind } from './activity.ts'

test('a refusal is counted by the field at fault, wherever in the request it is, and by its kind', () => {
  const cases = [
    ['data[3].DOB', 'DOB'],
    ['data[17].products[2].qty', 'products.qty'],
    ['data[1]', ''],
    [`data[0].${'f'.repeat(200)}`, 'f'.repeat(100)],
  ] as const
  for (const [path, field] of cases)
    assert.deepEqual(refusalKind({ path, kind: 'x'.repeat(101) }), { field, kind: 'x'.repeat(100) })
  assert.deepEqual(refusalKind({ path: 'data[0].state_version', verdict: 'stale' }), {
    field: 'state_version',
    kind: 'stale',
  })
})
