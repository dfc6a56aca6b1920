import assert from 'node:assert/strict'
import test from 'node:test'
import { NOON, orderOf, published, snapshotOf } from '../../../../test/support/points.ts'
import type { Entry, Order, Prediction } from '../model.ts'
import { REFERRAL } from '../referral.ts'
import type { Points } from '../units.ts'
import { EMPTY_ACCOUNT } from './account.ts'
import { addPendingChange, createPendingLedger, withPending } from './pending-ledger.ts'
import { recordOrders } from './record.ts'
import { tallyEntries } from './tally-entries.ts'

const NOW = '2026-06-09T00:00:00.000Z'

/** What recording the states one after the other adds, a line for each figure. */
function talliesOf(states: readonly Partial<Order>[], program = published()): string[][] {
  const pending = createPendingLedger()
  const view = withPending(snapshotOf(), pending)
  return states.map((state) => {
    const change = recordOrders([orderOf(state)], view, [program], NOW)
    const lines = tallyEntries(change, { accounts: view.accounts }).map(
      ({ day, bookedDay: postingDate, measure, key, n, micros }) =>
        `${day} ${postingDate} ${measure} ${key}: ${n}, ${micros}`,
    )
    addPendingChange(pending, change)
    return lines.sort()
  })
}

test('a first recording is counted by its rules, and rounding makes up for what six decimals cannot hold', () => {
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

test('all points of an order count for the attribute that it had at first, and the order once (decision 168)', () => {
  const program = published({ attributes: { order: { store: 'text' } }, statistics: { by: 'store' } })
  const at = '2026-06-03T12:00:00.000Z'
  const [paris, lyon, other] = ['{"store":"paris"}', '{"store":"lyon"}', '{"store":5}']
  const states: Partial<Order>[] = [
    { attributes: paris },
    { attributes: paris, total: 1_500_000n },
    { attributes: lyon, total: 1_500_000n, at },
    { attributes: lyon, total: 1_500_009n, at },
    { attributes: lyon, total: 1_500_009n, at, status: 'returned' },
    { id: 'o-2', attributes: lyon, total: 0n },
    { id: 'o-3', attributes: other },
    { id: 'o-4' },
  ]
  const counted = talliesOf(states, program).map((lines) => lines.filter((line) => line.includes(' attribute ')))
  assert.deepEqual(counted, [
    ['2026-06-01 2026-06-09 attribute paris: 1, 100000000'],
    ['2026-06-01 2026-06-09 attribute paris: 0, 50000000'],
    ['2026-06-01 2026-06-09 attribute paris: 0, -150000000', '2026-06-03 2026-06-09 attribute paris: 0, 150000000'],
    [],
    ['2026-06-03 2026-06-09 attribute paris: 0, -150000000'],
    ['2026-06-01 2026-06-09 attribute lyon: 1, 0'],
    ['2026-06-01 2026-06-09 attribute : 1, 100000000'],
    ['2026-06-01 2026-06-09 attribute : 1, 100000000'],
  ])
  const without = published({ attributes: { order: { store: 'text' } } })
  assert.deepEqual(talliesOf([{ attributes: paris }], without), talliesOf([{}], without))
})

const ANY: Omit<Entry, 'seq' | 'points'> = {
  userId: 'u-1',
  kind: 'adjustment',
  counts: false,
  at: NOON,
  day: '2026-06-01',
  bookedDay: '2026-06-02',
}
const NOTHING_EARNED = {
  earned: [],
  level: { before: 'Silver', after: 'Silver' },
} as unknown as Prediction

/** What entries add, except sums of balances, a line for each figure. `balances` are those before them. */
function countsOf(entries: readonly (Partial<Entry> & { points: Points })[], balances: Record<string, bigint> = {}) {
  const accounts = new Map(Object.entries(balances).map(([userId, points]) => [userId, { ...EMPTY_ACCOUNT, points }]))
  const written = entries.map((entry, index): Entry => ({ ...ANY, seq: BigInt(index + 1), ...entry }))
  const change = { accounts: new Map(), orders: new Map(), entries: written }
  const lines = tallyEntries(change, { accounts }).map(
    ({ day, bookedDay: postingDate, measure, program, key, n, micros }) =>
      [`${measure} ${key}`.trim(), `${day} ${postingDate}`, program, n, micros] as const,
  )
  const isSum = ([measure]: (typeof lines)[number]) => measure === 'balance' || measure === 'debts'
  return {
    counts: lines.filter((line) => !isSum(line)).map(([measure, , , n, micros]) => `${measure}: ${n}, ${micros}`),
    sums: lines
      .filter(isSum)
      .map(([measure, days, program, n, micros]) => `${days} ${program} ${measure}: ${n}, ${micros}`),
  }
}

test('entries are issued, taken back or spent by their kind and sign, and those of one kind and day are one line', () => {
  const cases: [kind: Entry['kind'], points: Points, ...lines: string[]][] = [
    ['adjustment', 5n, 'issued adjustment: 1, 5000000'],
    ['adjustment', -5n, 'spent adjustment: 1, -5000000'],
    ['referral', 5n, 'issued referral: 1, 5000000'],
    ['referral', -5n, 'taken-back referral: 1, -5000000'],
    ['reinstated', 5n, 'issued reinstated: 1, 5000000'],
    ['redemption', -5n, 'spent redemption: 1, -5000000'],
    ['redemption', 5n, 'spent redemption: 1, 5000000'],
    ['adjustment', 0n],
  ]
  for (const [kind, points, ...lines] of cases) assert.deepEqual(countsOf([{ kind, points }]).counts, lines, kind)
  assert.deepEqual(
    countsOf([
      { kind: 'adjustment', points: 5n },
      { kind: 'adjustment', points: 7n },
      { kind: 'redemption', points: -300n },
      { kind: 'redemption', points: 100n },
    ]).counts,
    ['issued adjustment: 2, 12000000', 'spent redemption: 2, -200000000'],
  )
})

test('each day and program has lines of its own', () => {
  const order = { id: 'o-1', revision: 2n, program: 3, change: 'changed' } as const
  const tallies = (entry: Partial<Entry>) =>
    tallyEntries(
      {
        accounts: new Map(),
        orders: new Map(),
        entries: [
          { ...ANY, seq: 1n, points: 1n },
          { ...ANY, seq: 2n, points: 1n, ...entry },
        ],
      },
      { accounts: new Map() },
    ).flatMap(({ measure, day, bookedDay: postingDate, program, n }) =>
      measure === 'issued' ? [[day, postingDate, program, n]] : [],
    )
  const first = ['2026-06-01', '2026-06-02', 0, 1]
  assert.deepEqual(tallies({}), [['2026-06-01', '2026-06-02', 0, 2]])
  assert.deepEqual(tallies({ day: '2026-05-01' }), [first, ['2026-05-01', '2026-06-02', 0, 1]])
  assert.deepEqual(tallies({ bookedDay: '2026-06-03' }), [first, ['2026-06-01', '2026-06-03', 0, 1]])
  assert.deepEqual(tallies({ kind: 'order', order }), [first, ['2026-06-01', '2026-06-02', 3, 1]])
})

test('balances above and below 0 are summed separately, by the day of recording, whatever a balance passes through', () => {
  const cases: [before: Record<string, bigint>, entries: [userId: string, points: bigint][], ...sums: string[]][] = [
    [{}, [['u-1', 5n]], 'balance: 0, 5000000'],
    [{ 'u-1': 3n }, [['u-1', -3n]], 'balance: 0, -3000000'],
    [{ 'u-1': 3n }, [['u-1', -5n]], 'balance: 0, -3000000', 'debts: 0, -2000000'],
    [{ 'u-1': -3n }, [['u-1', 5n]], 'balance: 0, 2000000', 'debts: 0, 3000000'],
    [{ 'u-1': -3n }, [['u-1', -5n]], 'debts: 0, -5000000'],
    // The second entry starts from the balance after the first; an entry of another player starts from theirs.
    [
      { 'u-1': 1n },
      [
        ['u-1', -3n],
        ['u-1', 4n],
      ],
      'balance: 0, 1000000',
      'debts: 0, 0',
    ],
    [
      { 'u-1': 1n, 'u-2': 10n },
      [
        ['u-1', -3n],
        ['u-2', 4n],
      ],
      'balance: 0, 3000000',
      'debts: 0, -2000000',
    ],
    [{}, [['u-1', 0n]]],
  ]
  for (const [before, entries, ...sums] of cases)
    assert.deepEqual(
      countsOf(
        entries.map(([userId, points]) => ({ userId, points })),
        before,
      ).sums,
      sums.map((sum) => `2026-06-02 2026-06-02 0 ${sum}`),
      JSON.stringify(entries.map(([userId, points]) => [userId, String(points)])),
    )
})

test('a revision ends with the last of its entries of the order itself', () => {
  const orderEntry = (id: string, revision: bigint, points = 0n): Partial<Entry> & { points: Points } => ({
    ...{ kind: 'order', points },
    order: { id, revision, program: 1, change: revision === 1n ? 'placed' : 'changed', prediction: NOTHING_EARNED },
  })
  const revisions = (...entries: (Partial<Entry> & { points: Points })[]) =>
    countsOf(entries).counts.filter((line) => line.startsWith('revisions'))
  assert.deepEqual(revisions(orderEntry('a', 2n), orderEntry('a', 2n)), ['revisions changed: 1, 0'])
  assert.deepEqual(revisions(orderEntry('a', 2n), orderEntry('b', 2n)), ['revisions changed: 2, 0'])
  assert.deepEqual(revisions(orderEntry('a', 2n), orderEntry('a', 3n)), ['revisions changed: 2, 0'])
  assert.deepEqual(revisions(orderEntry('a', 1n), orderEntry('a', 2n)), [
    'revisions placed: 1, 0',
    'revisions changed: 1, 0',
  ])
  const referral = { ...orderEntry('a', 2n, 7n), kind: 'referral' } as const
  assert.deepEqual(revisions(orderEntry('a', 2n), referral, orderEntry('a', 3n)), ['revisions changed: 2, 0'])
  assert.deepEqual(revisions(referral), [])
})

test('what a later revision changes is counted as such; nothing where it changes nothing', () => {
  const later = (points: bigint) =>
    countsOf([{ kind: 'order', points, order: { id: 'a', revision: 2n, program: 1, change: 'changed' } }]).counts
  assert.deepEqual(later(-5n), ['taken-back order: 1, -5000000', 'later: 1, -5000000', 'revisions changed: 1, 0'])
  assert.deepEqual(later(0n), ['revisions changed: 1, 0'])
})

test('a first recording counts what a referral gave, a change of level, and rounding to a millionth, half away from 0', () => {
  const first = (points: bigint, prediction: object) =>
    countsOf([
      {
        kind: 'order',
        points,
        order: {
          id: 'a',
          revision: 1n,
          program: 1,
          change: 'placed',
          prediction: { ...NOTHING_EARNED, ...prediction },
        },
      },
    ]).counts
  const placed = 'revisions placed: 1, 0'
  const half = { num: 1n, den: 2_000_000n }
  assert.deepEqual(
    first(5n, {
      earned: [
        { rule: 'base', points: { num: 3n, den: 1n } },
        { rule: REFERRAL, points: { num: 2n, den: 1n } },
      ],
    }),
    ['issued order: 1, 5000000', 'orders: 1, 5000000', 'rule base: 1, 3000000', 'referral: 1, 2000000', placed],
  )
  assert.deepEqual(
    first(0n, {
      earned: [
        { rule: 'a', points: half },
        { rule: 'b', points: { ...half, num: -1n } },
      ],
    }),
    ['orders: 1, 0', 'rule a: 1, 1', 'rule b: 1, -1', placed],
  )
  assert.deepEqual(first(0n, { earned: [{ rule: 'a', points: { num: 1n, den: 2_000_001n } }] }), [
    'orders: 1, 0',
    'rule a: 1, 0',
    placed,
  ])
  assert.deepEqual(first(1n, { level: { before: 'Silver', after: 'Gold' } }), [
    'issued order: 1, 1000000',
    'orders: 1, 1000000',
    'rounding: 1, 1000000',
    'level Silver\tGold: 1, 0',
    placed,
  ])
})

test('an order that earns nothing has one reason, the first that applies', () => {
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
