import assert from 'node:assert/strict'
import test from 'node:test'
import { NOON, orderOf, published, snapshotOf } from '../../../test/support/points.ts'
import type { Order } from '../model.ts'
import { addToOverlay, createOverlay, withOverlay } from './overlay.ts'
import { recordOrders } from './record.ts'
import { tallyEntries } from './tally-entries.ts'

const NOW = '2026-06-09T00:00:00.000Z'

/** What recording states one after the other adds, a line for each figure. */
function talliesOf(states: readonly Partial<Order>[], program = published()): string[][] {
  const overlay = createOverlay()
  const view = withOverlay(snapshotOf(), overlay)
  return states.map((state) => {
    const change = recordOrders([orderOf(state)], view, [program], NOW)
    const lines = tallyEntries(change, { accounts: view.accounts }).map(
      ({ day, bookedDay, measure, key, n, micros }) => `${day} ${bookedDay} ${measure} ${key}: ${n}, ${micros}`,
    )
    addToOverlay(overlay, change)
    return lines.sort()
  })
}

test('a first recording is counted by its rules, and rounding makes up for what is no decimal', () => {
  const program = published({
    earn: [
      { name: 'a', 'per-amount': { points: 1, every: 3 } },
      { name: 'b', 'per-amount': { points: 1, every: 7 } },
      { name: 'c', multiply: { by: '0.5', rules: ['a'] } },
    ],
  })
  assert.deepEqual(talliesOf([{}], program), [
    [
      '2026-06-01 2026-06-09 issued order: 1, 30000000',
      '2026-06-01 2026-06-09 orders : 1, 30000000',
      '2026-06-01 2026-06-09 revisions placed: 1, 0',
      // 33.333333 + 14.285714 - 16.666667, rounded down to 30.
      '2026-06-01 2026-06-09 rounding : 1, -952380',
      '2026-06-01 2026-06-09 rule a: 1, 33333333',
      '2026-06-01 2026-06-09 rule b: 1, 14285714',
      '2026-06-01 2026-06-09 rule c: 1, -16666667',
      '2026-06-09 2026-06-09 balance : 0, 30000000',
    ],
  ])
})

test('a revision counts once, however many entries it posts, by the day of the last one', () => {
  const moved = '2026-06-03T12:00:00.000Z'
  const [, second, third] = talliesOf([{}, { at: moved }, { at: moved, total: 1_000_001n }])
  assert.deepEqual(second, [
    '2026-06-01 2026-06-09 later : 1, -100000000',
    '2026-06-01 2026-06-09 taken-back order: 1, -100000000',
    '2026-06-03 2026-06-09 issued order: 1, 100000000',
    '2026-06-03 2026-06-09 later : 1, 100000000',
    '2026-06-03 2026-06-09 revisions moved: 1, 0',
    '2026-06-09 2026-06-09 balance : 0, 0',
  ])
  assert.deepEqual(third, ['2026-06-03 2026-06-09 revisions changed: 1, 0'])
})

test('what is given back of a redemption is not spent any more, and was not issued', () => {
  const entry = {
    userId: 'u-1',
    kind: 'redemption',
    counts: false,
    at: NOON,
    day: '2026-06-01',
    bookedDay: '2026-06-01',
  } as const
  const countedOf = (...points: bigint[]) =>
    tallyEntries(
      {
        accounts: new Map(),
        orders: new Map(),
        entries: points.map((one, index) => ({ ...entry, seq: BigInt(index + 1), points: one })),
      },
      { accounts: new Map() },
    ).flatMap(({ measure, key, micros }) =>
      measure === 'balance' || measure === 'debts' ? [] : `${measure} ${key}: ${micros}`,
    )
  assert.deepEqual(countedOf(-300n), ['spent redemption: -300000000'])
  assert.deepEqual(countedOf(-300n, 100n), ['spent redemption: -200000000'])
})

test('an order that earns nothing has one reason, the first that holds', () => {
  const lines = [{ sku: 'tea', qty: 10_000n }]
  const ofLines = { name: 'tea', 'per-amount': { points: 1, every: 1, of: 'lines' } }
  const cases: [state: Partial<Order>, earn: object[] | undefined, reason: string][] = [
    [{ status: 'cancelled', total: 0n }, undefined, 'not-placed'],
    [{ total: 0n }, undefined, 'nothing-paid'],
    [{ discount: 1_000_000n }, undefined, 'nothing-paid'],
    [{ lines }, [ofLines], 'no-price'],
    [{ lines }, [], 'no-rule-applies'],
    [{}, [{ name: 'dear', when: 'order.net > 1000', fixed: { points: 5 } }], 'no-rule-applies'],
    [{}, [{ name: 'late', during: { hours: '22:00-23:00' }, fixed: { points: 5 } }], 'no-rule-applies'],
    [
      {},
      [
        { name: 'gift', fixed: { points: 5 } },
        { name: 'top', 'at-most': { points: 0 } },
      ],
      'ceiling',
    ],
    [{ total: 5_000n }, undefined, 'rounded-away'],
    [
      {},
      [
        { name: 'gift', fixed: { points: 5 } },
        { name: 'none', multiply: { by: '0' } },
      ],
      'other',
    ],
  ]
  for (const [state, earn, reason] of cases) {
    const [tallies] = talliesOf([state], published(earn === undefined ? {} : { earn }))
    const found = tallies!.filter((line) => line.includes(' nothing '))
    assert.deepEqual(found, [`${NOON.slice(0, 10)} 2026-06-09 nothing ${reason}: 1, 0`], reason)
  }
})
