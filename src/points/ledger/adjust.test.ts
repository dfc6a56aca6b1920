import assert from 'node:assert/strict'
import test from 'node:test'
import { accountOf, NOON } from '../../../test/support/points.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import type { Entry } from '../model.ts'
import { type Adjustment, adjust, adjustmentKey, type KnownAdjustments } from './adjust.ts'

const adjustmentOf = (parts: Partial<Adjustment> = {}): Adjustment => ({
  id: 'a-1',
  userId: 'asha',
  points: 10n,
  counts: true,
  reason: 'gift',
  ...parts,
})
const account = accountOf({ points: 100n, levelPoints: 80n, orders: 2n, entries: 4n })
const entry: Entry = {
  userId: 'asha',
  seq: 5n,
  kind: 'adjustment',
  points: 10n,
  counts: true,
  at: NOON,
  day: '2026-06-01',
  bookedDay: '2026-06-01',
  adjustment: { id: 'a-1', reason: 'gift' },
  by: 't-1',
}

const make = (adjustments: readonly Adjustment[], parts: Partial<KnownAdjustments> = {}) =>
  adjust(
    adjustments,
    {
      accounts: new Map([
        ['asha', account],
        ['ben', accountOf()],
      ]),
      made: new Map(),
      ...parts,
    },
    { at: NOON, day: '2026-06-01', by: 't-1' },
  )

test('an adjustment is an entry of its own, and changes its account', () => {
  assert.deepEqual(make([adjustmentOf()]), {
    verdicts: [{ done: 'inserted' }],
    accounts: new Map([['asha', { ...account, points: 110n, levelPoints: 90n, entries: 5n }]]),
    entries: [entry],
  })
})

test('points that do not count for the level are kept out of it', () => {
  const { accounts, entries } = make([adjustmentOf({ counts: false, points: -10n })])
  assert.deepEqual(accounts.get('asha'), { ...account, points: 90n, entries: 5n })
  assert.deepEqual(entries, [{ ...entry, counts: false, points: -10n }])
})

test('adjustments follow each other, each in its account', () => {
  const { verdicts, accounts, entries } = make([
    adjustmentOf(),
    adjustmentOf({ userId: 'ben', points: 3n }),
    adjustmentOf({ id: 'a-2', points: 5n }),
  ])
  assert.deepEqual(verdicts, [{ done: 'inserted' }, { done: 'inserted' }, { done: 'inserted' }])
  assert.deepEqual([accounts.get('asha')?.points, accounts.get('ben')?.points], [115n, 3n])
  assert.deepEqual(
    entries.map(({ userId, seq, adjustment }) => [userId, seq, adjustment?.id]),
    [
      ['asha', 5n, 'a-1'],
      ['ben', 1n, 'a-1'],
      ['asha', 6n, 'a-2'],
    ],
  )
})

test('the same adjustment again changes nothing, whether it is stored or was sent twice', () => {
  const made = new Map([[adjustmentKey('asha', 'a-1'), entry]])
  assert.deepEqual(make([adjustmentOf()], { made }), {
    verdicts: [{ done: 'unchanged' }],
    accounts: new Map(),
    entries: [],
  })
  const { verdicts, entries } = make([adjustmentOf(), adjustmentOf()])
  assert.deepEqual([verdicts, entries.length], [[{ done: 'inserted' }, { done: 'unchanged' }], 1])
})

test('the same id with other content is refused, and never taken for another', () => {
  const made = new Map([[adjustmentKey('asha', 'a-1'), entry]])
  for (const parts of [{ points: 11n }, { counts: false }, { reason: 'bonus' }]) {
    const { verdicts, entries } = make([adjustmentOf(parts)], { made })
    assert.deepEqual([verdicts, entries], [[{ refused: 'other-content' }], []])
    assert.deepEqual(make([adjustmentOf(), adjustmentOf(parts)]).verdicts[1], { refused: 'other-content' })
  }
  // An entry of the ledger that is no adjustment has no content that could be the same.
  const { adjustment, ...other } = entry
  const odd = new Map([[adjustmentKey('asha', 'a-1'), other]])
  assert.deepEqual(make([adjustmentOf()], { made: odd }).verdicts, [{ refused: 'other-content' }])
})

test('ids belong to their player: two players have two adjustments of one id', () => {
  const keys = [adjustmentKey('asha', 'a-1'), adjustmentKey('ben', 'a-1'), adjustmentKey('a-1', 'asha')]
  assert.equal(new Set([...keys, adjustmentKey('asha","a-1', ''), adjustmentKey('', 'asha","a-1')]).size, 5)
})

test('an unknown player is refused', () => {
  assert.deepEqual(make([adjustmentOf({ userId: 'zoe' })]), {
    verdicts: [{ refused: 'unknown-player' }],
    accounts: new Map(),
    entries: [],
  })
})

test('an account may reach what the wire carries, and no more; what is refused leaves nothing behind (decision 34)', () => {
  const verdictsOf = (...points: bigint[]) =>
    make(points.map((one, index) => adjustmentOf({ id: `a-${index}`, userId: 'ben', points: one }))).verdicts
  assert.deepEqual(verdictsOf(WHOLE_MAX), [{ done: 'inserted' }])
  assert.deepEqual(verdictsOf(WHOLE_MAX + 1n, 1n), [{ refused: 'too-many-points' }, { done: 'inserted' }])
  assert.deepEqual(verdictsOf(-WHOLE_MAX - 1n), [{ refused: 'too-many-points' }])
  assert.deepEqual(verdictsOf(WHOLE_MAX, 1n, -1n), [
    { done: 'inserted' },
    { refused: 'too-many-points' },
    { done: 'inserted' },
  ])
  const level = accountOf({ levelPoints: WHOLE_MAX })
  assert.deepEqual(make([adjustmentOf()], { accounts: new Map([['asha', level]]) }).verdicts, [
    { refused: 'too-many-points' },
  ])
})
