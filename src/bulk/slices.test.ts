import assert from 'node:assert/strict'
import test from 'node:test'
import { slicesOf } from './slices.ts'

const weigh = (record: string | number) => Number(String(record).replace(/\D/g, ''))

test('records are cut into slices of a given weight, in the order sent; a heavy record gets its own slice', () => {
  assert.deepEqual(slicesOf([], weigh, 10), [])
  assert.deepEqual(slicesOf([0, 0], weigh, 10), [[0, 0]])
  assert.deepEqual(slicesOf([4, 6, 1, 10, 25, 3, 7], weigh, 10), [[4, 6], [1], [10], [25], [3, 7]])
  assert.deepEqual(
    slicesOf(['a', 'b', 'c'], () => 1, 2),
    [['a', 'b'], ['c']],
  )
})
