import assert from 'node:assert/strict'
import test from 'node:test'
import { accountOf, NOON, programOf } from '../../../../test/support/points.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import type { Entry } from '../model.ts'
import {
  type Adjustment,
  adjust,
  type Booking,
  type KnownAdjustments,
  type UndoingVerdict,
  undo,
  undoingId,
} from './adjust.ts'
import { adjustmentKey } from './pending-ledger.ts'

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

const booking: Booking = { at: NOON, day: '2026-06-01', by: 't-1' }
const make = (adjustments: readonly Adjustment[], parts: Partial<KnownAdjustments> = {}, made: Partial<Booking> = {}) =>
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
    { ...booking, ...made },
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

test('adjustments are numbered within each account', () => {
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

test('the same id with different content is refused, and never mistaken for a repetition', () => {
  const made = new Map([[adjustmentKey('asha', 'a-1'), entry]])
  for (const parts of [{ points: 11n }, { counts: false }, { reason: 'bonus' }]) {
    const { verdicts, entries } = make([adjustmentOf(parts)], { made })
    assert.deepEqual([verdicts, entries], [[{ refused: 'other-content' }], []])
    assert.deepEqual(make([adjustmentOf(), adjustmentOf(parts)]).verdicts[1], { refused: 'other-content' })
  }
  // An entry that is not an adjustment never has the same content.
  const { adjustment, ...other } = entry
  const odd = new Map([[adjustmentKey('asha', 'a-1'), other]])
  assert.deepEqual(make([adjustmentOf()], { made: odd }).verdicts, [{ refused: 'other-content' }])
})

test('ids belong to their player: two players may use the same id for two adjustments', () => {
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

test('an account may reach what the wire can carry, and no more; what is refused leaves nothing behind (decision 20)', () => {
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

test('an adjustment that was made without a token names nobody', () => {
  const { by, ...without } = entry
  const { by: _, ...unnamed } = booking
  const known = { accounts: new Map([['asha', account]]), made: new Map() }
  assert.deepEqual(adjust([adjustmentOf()], known, unnamed).entries, [without])
})

test('points are usable and expire on the days that are named, else as the program says; what is taken away has no days (decision 138)', () => {
  const monthly = programOf({ points: { expire: { after: 'P1M' } } })
  const sliding = programOf({ points: { expire: { inactive: 'P1M' } } })
  const termsOf = (program: Booking['program'], parts: Partial<Adjustment>) => {
    const { verdicts, entries } = make([adjustmentOf(parts)], {}, program === undefined ? {} : { program })
    return entries[0]?.terms ?? verdicts[0]
  }
  const days = (usableOn: string, expiresOn: string, slides = false) => ({ usableOn, expiresOn, slides })
  const inserted = { done: 'inserted' }
  const [usableOn, expiresOn] = ['2026-06-10', '2026-06-20']
  assert.deepEqual(termsOf(monthly, {}), days('2026-06-01', '2026-07-01'))
  assert.deepEqual(termsOf(monthly, { usableOn }), days(usableOn, '2026-07-10'))
  assert.deepEqual(termsOf(monthly, { expiresOn }), days('2026-06-01', expiresOn))
  assert.deepEqual(termsOf(programOf(), { usableOn, expiresOn }), days(usableOn, expiresOn))
  assert.deepEqual(termsOf(monthly, { points: 0n, expiresOn }), days('2026-06-01', expiresOn))
  assert.deepEqual(termsOf(programOf(), {}), inserted)
  assert.deepEqual(termsOf(programOf(), { points: -10n }), inserted)
  assert.deepEqual(termsOf(undefined, {}), inserted)
  assert.deepEqual(termsOf(monthly, { points: -10n }), inserted)
  assert.deepEqual(termsOf(sliding, { points: -10n }), days('2026-06-01', '2026-07-01', true))
  for (const named of [{ usableOn }, { expiresOn }, { usableOn, expiresOn }]) {
    assert.deepEqual(termsOf(undefined, named), { refused: 'no-days' })
    assert.deepEqual(termsOf(monthly, { ...named, points: -10n }), { refused: 'days-of-a-debit' })
  }
  assert.deepEqual(termsOf(monthly, { usableOn, expiresOn: usableOn }), { refused: 'ends-before-it-begins' })
  assert.deepEqual(termsOf(monthly, { usableOn: '2026-06-19', expiresOn }), days('2026-06-19', expiresOn))
})

test('days that are named again are compared; those that followed from the program of another day are not', () => {
  const terms = { usableOn: '2026-06-10', expiresOn: '2026-06-20', slides: false }
  const verdictOf = (parts: Partial<Adjustment>, earlier: Entry = { ...entry, terms }) =>
    make([adjustmentOf(parts)], { made: new Map([[adjustmentKey('asha', 'a-1'), earlier]]) }).verdicts[0]
  const { usableOn, expiresOn } = terms
  for (const named of [{}, { usableOn }, { expiresOn }, { usableOn, expiresOn }])
    assert.deepEqual(verdictOf(named), { done: 'unchanged' })
  for (const named of [{ usableOn: '2026-06-11' }, { expiresOn: '2026-06-21' }])
    for (const earlier of [{ ...entry, terms }, entry])
      assert.deepEqual(verdictOf(named, earlier), { refused: 'other-content' })
})

const undoing = { userId: 'asha', id: 'a-1', reason: 'wrong customer' }
const undone: Entry = {
  ...entry,
  points: -10n,
  bookedDay: '2026-07-01',
  adjustment: { id: 'undo:a-1', reason: 'wrong customer', undone: true },
  by: 't-2',
}
const undoWith = (made: readonly Entry[], parts: Partial<KnownAdjustments> = {}, later: Partial<Booking> = {}) =>
  undo(
    undoing,
    {
      accounts: new Map([['asha', account]]),
      made: new Map(made.map((one) => [adjustmentKey('asha', one.adjustment!.id), one])),
      ...parts,
    },
    { at: '2026-07-01T12:00:00.000Z', day: '2026-07-01', by: 't-2', ...later },
  )

test('undoing an adjustment posts the opposite points with its day, moment and terms, as if it had never been made (decision 139)', () => {
  const terms = { usableOn: '2026-06-10', expiresOn: '2026-06-20', slides: false }
  assert.deepEqual(undoWith([{ ...entry, seq: 2n, terms }]), {
    verdict: { done: 'inserted' },
    accounts: new Map([['asha', { ...account, points: 90n, levelPoints: 70n, entries: 5n }]]),
    entries: [{ ...undone, terms }],
  })
  const taken = undoWith([{ ...entry, counts: false, points: -10n }])
  assert.deepEqual(taken.accounts.get('asha'), { ...account, points: 110n, entries: 5n })
  const { by, ...unnamed } = undone
  const known = { accounts: new Map([['asha', account]]), made: new Map([[adjustmentKey('asha', 'a-1'), entry]]) }
  assert.deepEqual(undo(undoing, known, { at: NOON, day: '2026-07-01' }).entries, [unnamed])
})

test('an adjustment is undone only once, and an undoing cannot itself be undone (decision 139)', () => {
  const nothing = (verdict: UndoingVerdict) => ({ verdict, accounts: new Map(), entries: [] })
  assert.deepEqual(undoWith([entry, undone]), nothing({ done: 'unchanged' }))
  assert.deepEqual(
    undoWith([{ ...undone, adjustment: { id: 'a-1', reason: 'r', undone: true } }]),
    nothing({ refused: 'is-undoing' }),
  )
  assert.deepEqual(undoWith([]), nothing({ refused: 'unknown-adjustment' }))
  assert.deepEqual(undoWith([entry], { accounts: new Map() }), nothing({ refused: 'unknown-player' }))
  // Another adjustment may have that id.
  const other: Entry = { ...entry, adjustment: { id: undoingId('a-1'), reason: 'r' } }
  assert.deepEqual(undoWith([entry, other]), nothing({ refused: 'id-taken' }))
  const { adjustment, ...odd } = entry
  const made = new Map([
    [adjustmentKey('asha', 'a-1'), odd],
    [adjustmentKey('asha', undoingId('a-1')), odd],
  ])
  assert.deepEqual(undoWith([], { made }), nothing({ refused: 'id-taken' }))
  const owing = new Map([['asha', accountOf({ points: -WHOLE_MAX })]])
  assert.deepEqual(undoWith([entry], { accounts: owing }), nothing({ refused: 'too-many-points' }))
  // Nor is it a repetition, if someone sends an adjustment under its id.
  const same = adjustmentOf({ id: 'undo:a-1', points: -10n, reason: 'wrong customer' })
  const verdicts = make([same], { made: new Map([[adjustmentKey('asha', 'undo:a-1'), undone]]) }).verdicts
  assert.deepEqual(verdicts, [{ refused: 'other-content' }])
})
