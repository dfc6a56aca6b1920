import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { DAYS_AFTER_HISTORY, debit, expiryAssignments, history, lot, on } from '../../../../test/support/movements.ts'
import { balanceOn } from './balance.ts'
import { breakdownBySource } from './breakdown.ts'

test('the points of each source are broken down; lots with the same expiry are drawn in the order in which they became usable', () => {
  const movements = [
    { ...lot(100, 0, 20), source: 'a' },
    { ...lot(50, 3, 20), source: 'b' },
    { ...lot(30, 0, 6), source: 'c' },
    { ...lot(9, 30), source: 'd' },
    { ...debit(120, 4), source: 'e' },
  ]
  const breakdowns = (day: number, all = movements) => {
    const { breakdowns: bySource, owed } = breakdownBySource(on(day), all, [])
    const texts = [...bySource].map(
      ([source, { given, pending, open, spent, expired }]) =>
        `${source} ${[given, pending, open, spent, expired].join(' ')}`,
    )
    return [...texts, `owed ${owed}`]
  }
  assert.deepEqual(breakdowns(8), [
    'a 100 0 10 90 0',
    'b 50 0 50 0 0',
    'c 30 0 0 30 0',
    'd 9 9 0 0 0',
    'e 0 0 0 0 0',
    'owed 0',
  ])
  assert.deepEqual(breakdowns(21), [
    'a 100 0 0 90 10',
    'b 50 0 0 0 50',
    'c 30 0 0 30 0',
    'd 9 9 0 0 0',
    'e 0 0 0 0 0',
    'owed 0',
  ])
  const twice = [...movements, { ...lot(5, 4, 20), source: 'a' }, { ...debit(100, 5), source: 'e' }]
  assert.deepEqual(breakdowns(8, twice).slice(0, 2), ['a 105 0 0 105 0', 'b 50 0 0 50 0'])
  assert.deepEqual(breakdowns(8, twice).at(-1), 'owed 35')
})

test('the sources of an account add up to its balance, whatever they are (decision 138)', () => {
  const sources = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 14, maxLength: 14 })
  fc.assert(
    fc.property(history, sources, expiryAssignments, (movements, names, ends) => {
      const sourced = movements.map((movement, index) => ({ ...movement, source: names[index]! }))
      for (const day of DAYS_AFTER_HISTORY) {
        const { breakdowns, owed } = breakdownBySource(day, sourced, ends)
        const sumOf = (part: 'pending' | 'open' | 'expired') =>
          [...breakdowns.values()].reduce((sum, { [part]: points }) => sum + points, 0n)
        const { available, pending, expired } = balanceOn(day, movements, ends)
        assert.deepEqual([sumOf('open') - owed, sumOf('pending'), sumOf('expired')], [available, pending, expired])
      }
    }),
  )
})

test('a breakdown of a day after which points are spent is an internal error: it would show points that are gone', () => {
  const movements = [lot(100, 0), debit(10, 6)].map((one) => ({ ...one, source: 'a' }))
  assert.throws(() => breakdownBySource(on(5), movements, []), { name: 'AssertionError' })
})
