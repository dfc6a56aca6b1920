import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, programOf, published } from '../../../test/support/points.ts'
import { inProgramCurrency, takesCurrency } from './currency.ts'
import { digestsOf } from './digests.ts'
import { UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'

const EUROS = { decimals: 2, currency: 'EUR', rates: { GBP: '1.17', JPY: '0.00617284' } }
const { money } = programOf({ money: EUROS })

test('an order in another currency counts at the rate of the program, each amount rounded to 1/10,000', () => {
  const order = orderOf({
    currency: 'JPY',
    total: 12_345_000_000n,
    discount: 10_000n,
    lines: [
      { qty: 10_000n, amount: 10_000n, refunded: 10_000n },
      { qty: 20_000n, refunded: { qty: 10_000n } },
    ],
  })
  const converted = inProgramCurrency(order, money)
  assert.deepEqual([converted.total, converted.discount], [76_203_710n, 62n])
  assert.deepEqual(converted.lines, [
    { qty: 10_000n, amount: 62n, refunded: 62n },
    { qty: 20_000n, refunded: { qty: 10_000n } },
  ])
  const context = { levelPoints: 0n, referral: { why: 'no-code' } } as const
  const pounds = orderOf({ currency: 'GBP', total: 1_000_000n })
  const earned = predict(pounds, UNKNOWN_PLAYER, new Map(), published({ money: EUROS }), context)
  assert.equal(earned.points, 117n)
})

test('orders without a currency, in that of the program, and of programs without one are not converted', () => {
  for (const order of [orderOf(), orderOf({ currency: 'EUR' })]) assert.equal(inProgramCurrency(order, money), order)
  const dollars = orderOf({ currency: 'USD' })
  assert.equal(inProgramCurrency(dollars, { decimals: 0 }), dollars)
  assert.deepEqual(
    [undefined, 'EUR', 'GBP', 'USD'].map((currency) => takesCurrency(currency, money)),
    [true, true, true, false],
  )
  assert(takesCurrency('USD', { decimals: 0 }))
})

test('the currency is in the digest of an order only where it has one, so that kept digests stay valid', () => {
  const digest = (currency?: string) =>
    digestsOf(orderOf(currency === undefined ? {} : { currency }), UNKNOWN_PLAYER, new Map()).order
  assert.equal(digest(), 'cf83a0fa47fc9a5d')
  assert.notEqual(digest('EUR'), digest())
  assert.notEqual(digest('EUR'), digest('GBP'))
})

test('a program says what is wrong with its currency and rates', () => {
  const issuesOf = (money: object) => {
    const read = readProgram({
      ...{ name: 'Test', rounding: 'floor', earn: [], money },
      levels: { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }] },
    })
    return 'issues' in read ? read.issues.map(({ path, error }) => `${path}: ${error}`) : []
  }
  assert.deepEqual(issuesOf({ currency: 'EUR' }), [])
  assert.deepEqual(issuesOf({ currency: 'euro' }), ['money.currency: expected an ISO 4217 currency code like EUR'])
  assert.deepEqual(issuesOf({ currency: 'ABC' }), ['money.currency: expected an ISO 4217 currency code like EUR'])
  assert.deepEqual(issuesOf({ rates: { GBP: '1.17' } }), ['money.rates: requires currency'])
  const rate = 'expected a rate greater than 0 with at most 8 decimal places, in quotes, like "1.17"'
  assert.deepEqual(issuesOf({ currency: 'EUR', rates: { GBP: 1.17 } }), [`money.rates.GBP: ${rate}`])
  assert.deepEqual(issuesOf({ currency: 'EUR', rates: { GBP: '0.0', EUR: '1', Pound: '1' } }), [
    'money.rates.GBP: expected a rate greater than 0',
    'money.rates.EUR: expected another currency than money.currency',
    'money.rates.Pound: expected an ISO 4217 currency code like EUR',
  ])
})
