import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, programOf } from '../../../test/support/points.ts'
import type { SentOrder } from '../points/model.ts'
import { warnOfGross } from './gross-rules.ts'

const TEA = { name: 'tea', when: 'line.sku == "TEA"' }
const gross = programOf({ earn: [{ ...TEA, 'per-amount': { points: 1, every: 1, of: 'lines' } }] })
const casesOf = (order: SentOrder) => [{ name: 'one', steps: [{ order }] }]

test('a rule that counts lines before the discount is warned of where an order has a discount or a refund', () => {
  assert.deepEqual(warnOfGross(gross, casesOf(orderOf({ discount: 25_000n }))), [
    'tea counts the selected lines before discount and refunds, and order o-1 has a discount of 2.5: of: net counts what was paid for them',
  ])
  const lines = [{ qty: 10_000n, refunded: { qty: 10_000n } }]
  assert.match(warnOfGross(gross, casesOf(orderOf({ lines })))[0]!, /order o-1 has a refund/)
  assert.deepEqual(warnOfGross(gross, casesOf(orderOf())), [])
})

test('without cases a rule that counts lines before the discount is warned of, with when it matters', () => {
  assert.deepEqual(warnOfGross(gross, []), [
    'tea counts the selected lines before discount and refunds, and that matters if orders carry any: of: net counts what was paid for them',
  ])
})

test('rules on net, and on all lines, are not warned of', () => {
  const fine = [
    { ...TEA, 'per-amount': { points: 1, every: 1, of: 'net' } },
    { name: 'all', 'per-amount': { points: 1, every: 1, of: 'lines' } },
  ]
  for (const cases of [[], casesOf(orderOf({ discount: 1n }))])
    assert.deepEqual(warnOfGross(programOf({ earn: fine }), cases), [])
})
