import assert from 'node:assert/strict'
import test from 'node:test'
import {
  changeOf,
  formatRemainingOrders,
  idsOf,
  levelRows,
  numberText,
  referralsOf,
  signed,
  sourceName,
  timeRangeText,
  warningsOf,
} from './backtest-format.ts'
import type { BacktestDocument } from './backtest-result.ts'

type Winner = BacktestDocument['winners'][number]

test('numbers have thousands separators and signs, and those with many decimals are rounded and marked', () => {
  assert.deepEqual(['1234567.25', 1000, '-1000.5', '20000/3', '0.12345'].map(numberText), [
    '1,234,567.25',
    '1,000',
    '-1,000.5',
    '~6,666.67',
    '~0.12',
  ])
  assert.deepEqual(['5', '0', '-5', '10/3'].map(signed), ['+5', '0', '-5', '~+3.33'])
  const points = { before: '0', after: '5', difference: '5' }
  assert.equal(changeOf({ ...points, per_cent: null }), '+5')
  assert.equal(changeOf({ ...points, per_cent: '12.5' }), '+5 (+12.5 %)')
})

test('what is not exact is said, in orders, and nothing is said where all is exact', () => {
  const campaigns = [{ rule: 'weekend', from: '2026-11-27', until: '2026-11-29', orders: 0 }]
  const exact = {
    campaigns: [],
    orders: 10,
    under_this_program: 0,
    refused: 0,
    unlike_ledger: 0,
    out_of_order: 0,
    changed_later: 0,
  }
  const warnings = (more: object, winners: readonly object[] = [{}]) =>
    warningsOf({ ...exact, ...more, balances: undefined, winners, losers: [] } as unknown as BacktestDocument)
  assert.deepEqual(warnings({}), [])
  assert.deepEqual(warnings({ out_of_order: 3, changed_later: 3 }, []), [], 'nobody has other points')
  const [late, changed, erased, refused, unlike, ...rest] = warnings({
    erased: 5,
    out_of_order: 1,
    changed_later: 2,
    refused: 3,
    unlike_ledger: 4,
  })
  assert.match(late!, /^1 order arrived after a later order/)
  assert.match(changed!, /^2 orders changed later/)
  assert.match(erased!, /^5 orders of erased players cannot be computed anew: they are left out$/)
  assert.match(refused!, /^3 orders would be refused and count as 0/)
  assert.match(unlike!, /^4 orders did not earn the points of the program in the ledger: run laurel ledger verify$/)
  assert.deepEqual(rest, [])
  assert.match(warnings({ under_this_program: 10 })[0]!, /^these orders were recorded under this program/)
  assert.deepEqual(warnings({ under_this_program: 9 }), [])
  assert.deepEqual(warnings({ orders: 0, campaigns }), ['no recorded orders in this period: nothing to compare'])
  assert.deepEqual(warnings({ campaigns }), [
    'weekend applied to 0 of 10 orders: none is in its date range, 2026-11-27 to 2026-11-29',
  ])
  assert.deepEqual(warnings({ campaigns: [{ ...campaigns[0], orders: 1 }] }), [])
})

test('lists say what they leave out, and where points come from', () => {
  assert.equal(idsOf(['u-1', 'u-2'], 2), 'u-1, u-2')
  assert.equal(idsOf(['u-1', 'u-2'], 3), 'u-1, u-2, ...')
  assert.equal(referralsOf({ of_referrals: '0' } as Winner), '')
  assert.equal(referralsOf({ of_referrals: '-20' } as Winner), ', -20 of it for referrals')
  const more = (changed: number) =>
    formatRemainingOrders({ orders: [{}], orders_changed: changed } as unknown as Winner)
  assert.deepEqual([more(1), more(2), more(3)], [[], ['and 1 more order'], ['and 2 more orders']])
  assert.deepEqual(
    [sourceName({ kind: 'rule', rule: 'base' }), sourceName({ kind: 'referrer', rule: '' })],
    ['base', 'referral, to the referrer'],
  )
  const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
  assert.deepEqual(
    [timeRangeText({ from: null, to: null }), timeRangeText({ from, to: null }), timeRangeText({ from, to })],
    ['all orders', `from ${from}`, `from ${from}, before ${to}`],
  )
})

test('levels of both programs are beside each other, with a dash where a program lacks one', () => {
  const before = [
    { name: 'Bronze', from: '0', players: 7 },
    { name: 'Old', from: '10', players: 1 },
  ]
  const after = [
    { name: 'Bronze', from: '0', players: 5 },
    { name: 'Gold', from: '2000', players: 3 },
  ]
  assert.deepEqual(levelRows({ before, after }), [
    ['Bronze', '0', '7', '5'],
    ['Gold', '2,000', '-', '3'],
    ['Old', '10', '1', '-'],
  ])
})
