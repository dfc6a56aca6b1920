import assert from 'node:assert/strict'
import test from 'node:test'
import { accountOf } from '../../../../test/support/points.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import { accountFitsWire, afterPosting, EMPTY_ACCOUNT, fitsWire } from './account.ts'

test('a new account holds nothing, and nobody can change what a new account is', () => {
  assert.deepEqual(EMPTY_ACCOUNT, { points: 0n, levelPoints: 0n, orders: 0n, entries: 0n, rev: 0n })
  assert(Object.isFrozen(EMPTY_ACCOUNT))
})

test('an entry adds its points and is counted; it counts for the level only if it says so', () => {
  const account = accountOf({ points: 10n, levelPoints: 7n, orders: 2n, entries: 3n, rev: 5n, firstOrderId: 'o-1' })
  assert.deepEqual(afterPosting(account, { points: 4n, counts: true }), {
    ...account,
    points: 14n,
    levelPoints: 11n,
    entries: 4n,
  })
  assert.deepEqual(afterPosting(account, { points: -4n, counts: false }), { ...account, points: 6n, entries: 4n })
})

test('the wire carries whole numbers from -(2^53-1) to 2^53-1, and no others (decision 20)', () => {
  for (const points of [0n, 1n, -1n, WHOLE_MAX, -WHOLE_MAX]) assert(fitsWire(points), String(points))
  for (const points of [WHOLE_MAX + 1n, -WHOLE_MAX - 1n]) assert(!fitsWire(points), String(points))
})

test('an account fits the wire if both of its sums do', () => {
  assert(accountFitsWire(accountOf({ points: WHOLE_MAX, levelPoints: -WHOLE_MAX })))
  assert(!accountFitsWire(accountOf({ points: WHOLE_MAX + 1n })))
  assert(!accountFitsWire(accountOf({ levelPoints: -WHOLE_MAX - 1n })))
})
