import assert from 'node:assert/strict'
import test from 'node:test'
import { nearestName } from './text.ts'

test('the nearest name needs the fewest changes, at most a third of the letters, and is the first of equally near ones', () => {
  assert.equal(nearestName('Glod', ['Gold', 'Glow']), 'Gold')
  assert.equal(nearestName('Gulden', ['Golden', 'Gilden', 'Gulden']), 'Gulden')
  assert.equal(nearestName('per_amount', ['per-unit', 'per-amount']), 'per-amount')
  assert.equal(nearestName('Silvr plus', ['Silver', 'Silver-plus-plus', 'Silver plus']), 'Silver plus')
  assert.equal(nearestName('abcdef', ['abcxyz', 'fedcba', 'abcdefghi']), undefined)
  assert.equal(nearestName('', ['Gold']), undefined)
  assert.equal(nearestName('x'.repeat(101), ['x'.repeat(101)]), undefined)
})

test('names that are far from the wanted one are compared no further than shows it', (t) => {
  const minimum = Math.min
  t.after(() => {
    Math.min = minimum
  })
  let comparisons = 0
  Math.min = (...numbers) => {
    comparisons += 1
    return minimum(...numbers)
  }
  const comparisonsWith = (names: readonly string[]) => {
    comparisons = 0
    assert.equal(nearestName('green tea drinkers of the north', names), undefined)
    return comparisons
  }
  assert.equal(comparisonsWith(['tea', 'Gold', 'x'.repeat(100)]), 0)
  const ladder = Array.from({ length: 100 }, (_, index) => `wholesale buyers of china ${index}`)
  const taken = comparisonsWith(ladder)
  assert(taken > 0 && taken < 50_000, `${taken}`)
})
