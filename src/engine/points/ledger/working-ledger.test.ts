import assert from 'node:assert/strict'
import test from 'node:test'
import {
  accountOf,
  creditOn,
  heldOf,
  NOON,
  orderOf,
  PROFILE,
  recordedOf,
  redemptionIn,
  responseTo,
  snapshotOf,
} from '../../../../test/support/points.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import { debitOn } from '../lots/movement.ts'
import type { Entry } from '../model.ts'
import { EMPTY_ACCOUNT } from './account.ts'
import { addPendingChange, createPendingLedger, redemptionsIn, withPending } from './pending-ledger.ts'
import type { Posting } from './postings.ts'
import { EMPTY_HISTORY, type Snapshot } from './snapshot.ts'
import { createWorkingLedger } from './working-ledger.ts'

const postingOf = (parts: Partial<Posting> = {}): Posting => ({
  userId: 'asha',
  kind: 'order',
  points: 10n,
  counts: true,
  at: NOON,
  ...parts,
})

/** A snapshot with entries on it that are not written yet. */
function withEntries(entries: readonly Entry[], snapshot: Partial<Snapshot>): Snapshot {
  const pending = createPendingLedger()
  addPendingChange(pending, { accounts: new Map(), orders: new Map(), entries })
  return withPending(snapshotOf(snapshot), pending)
}

test('it reads through to the snapshot', () => {
  const ledger = createWorkingLedger(
    snapshotOf({
      accounts: new Map([['asha', accountOf({ points: 5n })]]),
      orders: new Map([['o-1', { ownerId: 'ben' }]]),
      catalogue: new Map([['tea', 45_000n]]),
      codes: new Map([['BEN', [{ referrerId: 'ben' }]]]),
    }),
  )
  assert.deepEqual([ledger.account('asha').points, ledger.account('ben')], [5n, EMPTY_ACCOUNT])
  assert.deepEqual([ledger.profile('asha'), ledger.profile('zoe')], [PROFILE, undefined])
  assert.deepEqual([ledger.isPlayer('asha'), ledger.isPlayer('zoe')], [true, false])
  assert.deepEqual([ledger.order('o-1'), ledger.order('o-2')], [{ ownerId: 'ben' }, undefined])
  assert.deepEqual([ledger.price('tea'), ledger.price('cup')], [45_000n, undefined])
  assert.deepEqual([ledger.playersWithCode('BEN'), ledger.playersWithCode('ZOE')], [[{ referrerId: 'ben' }], []])
  assert.deepEqual(ledger.changes, {
    accounts: new Map(),
    orders: new Map(),
    redemptions: new Map(),
    entries: [],
    missing: [],
  })
})

test('an order that is written is counted once, and visible to what comes after it', () => {
  const stored = snapshotOf({
    accounts: new Map([['asha', accountOf({ points: 5n, orders: 3n, entries: 8n, rev: 4n })]]),
  })
  const ledger = createWorkingLedger(stored)
  const first = recordedOf()
  ledger.write(first, [postingOf()], [])
  assert.equal(ledger.order('o-1'), first)
  const after = accountOf({ points: 15n, levelPoints: 10n, orders: 4n, entries: 9n, rev: 4n, firstOrderId: 'o-1' })
  assert.deepEqual(ledger.account('asha'), after)
  const second = recordedOf({ rev: 2n })
  ledger.write(second, [postingOf({ points: -3n })], [])
  assert.equal(ledger.order('o-1'), second)
  assert.deepEqual(ledger.account('asha'), { ...after, points: 12n, levelPoints: 7n, entries: 10n })
  const { accounts, orders } = ledger.changes
  assert.deepEqual(accounts, new Map([['asha', ledger.account('asha')]]))
  assert.deepEqual(orders, new Map([['o-1', second]]))
  assert.equal(stored.accounts.get('asha')?.points, 5n)
})

test('the first order is the first one placed, and remains it', () => {
  const ledger = createWorkingLedger(snapshotOf())
  ledger.write(recordedOf({ order: orderOf({ id: 'o-1', status: 'cancelled' }) }), [], [])
  assert.deepEqual(ledger.account('asha'), accountOf({ orders: 1n }))
  ledger.write(recordedOf({ order: orderOf({ id: 'o-2' }) }), [], [])
  ledger.write(recordedOf({ order: orderOf({ id: 'o-3' }) }), [], [])
  ledger.write(recordedOf({ order: orderOf({ id: 'o-2', status: 'cancelled' }), rev: 2n }), [], [])
  assert.deepEqual(ledger.account('asha'), accountOf({ orders: 3n, firstOrderId: 'o-2' }))
})

test('entries are numbered within each account, in the order in which they are posted', () => {
  const ledger = createWorkingLedger(snapshotOf({ accounts: new Map([['asha', accountOf({ entries: 8n })]]) }))
  const postings = [
    postingOf(),
    postingOf({ userId: 'ben', kind: 'referral', points: 7n, counts: false }),
    postingOf({ points: -4n }),
  ]
  ledger.write(recordedOf(), postings, [])
  const [first, gift, last] = postings
  assert.deepEqual(ledger.changes.entries, [
    { ...first, seq: 9n },
    { ...gift, seq: 1n },
    { ...last, seq: 10n },
  ])
  assert.deepEqual(ledger.account('ben'), accountOf({ points: 7n, entries: 1n }))
  assert.deepEqual(
    ledger.account('asha'),
    accountOf({ points: 6n, levelPoints: 6n, orders: 1n, entries: 10n, firstOrderId: 'o-1' }),
  )
})

const window = { userId: 'asha', orderId: 'o-1', from: '2025-06-01T12:00:00.000Z', to: NOON }

test('a window without a stored sum is missing and counts as 0; with one it is not, even if the sum is 0', () => {
  const unknown = createWorkingLedger(snapshotOf())
  assert.equal(unknown.levelPointsIn(window), 0n)
  assert.deepEqual(unknown.changes.missing, [window])
  for (const sum of [0n, 40n]) {
    const known = createWorkingLedger(snapshotOf({ levelPointsIn: responseTo(window, sum) }))
    assert.equal(known.levelPointsIn(window), sum)
    assert.deepEqual(known.changes.missing, [])
  }
})

test('a window excludes its first moment and includes its last; the order itself and what does not count are left out', () => {
  const entryOf = (points: bigint, parts: Partial<Entry> = {}): Entry => ({
    ...postingOf({ points }),
    seq: 1n,
    ...parts,
  })
  const ofOrder = (id: string) => ({ order: { id, revision: 1n, program: 1 } })
  const entries = [
    entryOf(1n, { at: '2025-06-01T11:59:59.999Z' }),
    entryOf(2n, { at: window.from }),
    entryOf(4n, { at: '2025-06-01T12:00:00.001Z' }),
    entryOf(8n, { at: window.to }),
    entryOf(16n, { at: '2026-06-01T12:00:00.001Z' }),
    entryOf(32n, { counts: false }),
    entryOf(64n, ofOrder('o-1')),
    entryOf(128n, ofOrder('o-2')),
    entryOf(256n, { kind: 'adjustment', adjustment: { id: 'a-1', reason: 'gift' } }),
  ]
  const ledger = createWorkingLedger(
    withEntries([...entries, entryOf(512n, { userId: 'ben' })], { levelPointsIn: responseTo(window, 1_000n) }),
  )
  assert.equal(ledger.levelPointsIn(window), 1_000n + 4n + 8n + 128n + 256n)
})

test('a window sees what was written since the snapshot', () => {
  const ledger = createWorkingLedger(snapshotOf({ levelPointsIn: responseTo(window, 1_000n) }))
  ledger.write(
    recordedOf({ order: orderOf({ id: 'o-2' }) }),
    [{ ...postingOf(), order: { id: 'o-2', revision: 1n, program: 1 } }],
    [],
  )
  assert.equal(ledger.levelPointsIn(window), 1_010n)
})

test('postings that would take any account beyond what the wire can carry cannot be posted (decision 20)', () => {
  const ledger = createWorkingLedger(
    snapshotOf({
      accounts: new Map([
        ['asha', accountOf({ points: WHOLE_MAX - 10n })],
        ['ben', accountOf({ levelPoints: WHOLE_MAX })],
      ]),
    }),
  )
  const gift = (points: bigint, counts: boolean) => postingOf({ userId: 'ben', kind: 'referral', points, counts })
  assert(ledger.canPost([]))
  assert(ledger.canPost([postingOf()]))
  assert(!ledger.canPost([postingOf({ points: 11n })]))
  assert(ledger.canPost([postingOf(), gift(1n, false)]))
  assert(!ledger.canPost([postingOf(), gift(1n, true)]))
  assert(!ledger.canPost([gift(0n, true), postingOf({ points: 11n })]))
  // What counts is where an account ends, not what it passes through.
  assert(ledger.canPost([postingOf({ points: 11n }), postingOf({ points: -1n })]))
  assert(!ledger.canPost([postingOf({ points: 6n }), postingOf({ points: 5n })]))
  assert.deepEqual(ledger.changes.entries, [])
})

const query = { userId: 'asha', orderId: 'o-1', redemptionId: 'r-1' }

test('a history that the snapshot does not know is returned as missing, and counts as empty', () => {
  const ledger = createWorkingLedger(snapshotOf())
  assert.deepEqual(ledger.history(query), { movements: [], own: [], reinstated: 0n, redemptions: [] })
  assert.deepEqual(ledger.changes.missing, [query])
})

test('what is asked again is missing once', () => {
  const ledger = createWorkingLedger(snapshotOf())
  for (let times = 0; times < 2; times += 1) {
    ledger.history(query)
    ledger.levelPointsIn(window)
    ledger.history({ ...query, redemptionId: '' })
  }
  assert.deepEqual(ledger.changes.missing, [query, window, { ...query, redemptionId: '' }])
})

test('a history sees what was written after it was asked for, and what earlier slices have not written', () => {
  const early: Entry = { ...postingOf({ points: 1n }), day: '2026-06-01', seq: 1n }
  const ledger = createWorkingLedger(withEntries([early], { history: () => EMPTY_HISTORY }))
  const movements = () => ledger.history(query).movements
  assert.deepEqual(movements(), [creditOn('2026-06-01', 1n)])
  ledger.write(recordedOf({ order: orderOf({ id: 'o-2' }) }), [{ ...postingOf(), day: '2026-06-01' }], [])
  assert.deepEqual(movements(), [creditOn('2026-06-01', 1n), creditOn('2026-06-01', 10n)])
})

test('a history sees what was written since, without the order in question; its reinstated points stay (decision 139)', () => {
  const [today, tomorrow] = ['2026-06-01', '2026-06-02']
  const credit = creditOn('2026-05-01', 100n)
  const stored = { movements: [credit], own: [{ day: today, points: 50n }], reinstated: 3n, redemptions: [] }
  const ledger = createWorkingLedger(snapshotOf({ history: responseTo(query, stored) }))
  const entryOf = (id: string, parts: Partial<Posting>) => ({
    ...postingOf({ day: today, ...parts }),
    order: { id, revision: 2n, program: 1 },
  })
  const others = [
    entryOf('o-2', { points: 20n }),
    entryOf('o-2', { kind: 'redemption', points: -9n }),
    entryOf('o-1', { kind: 'reinstated', points: 4n }),
    { ...postingOf({ points: 8n }), kind: 'adjustment', day: today } as const,
    { ...postingOf({ kind: 'redemption', points: -6n }), day: today, redemption: { id: 'r-7' } },
  ]
  const own = [
    entryOf('o-1', { points: 10n }),
    entryOf('o-1', { kind: 'redemption', points: -7n }),
    entryOf('o-1', { kind: 'redemption', points: -3n, day: tomorrow }),
  ]
  ledger.write(recordedOf(), [...own, ...others], [])
  assert.deepEqual(ledger.history(query), {
    movements: [credit, creditOn(today, 32n), debitOn(today, 15n)],
    own: [
      { day: today, points: 57n },
      { day: tomorrow, points: 3n },
    ],
    reinstated: 7n,
    redemptions: [],
  })
  assert.deepEqual(ledger.changes.missing, [])
})

test('a history sees holds as they were written since, and of other redemptions only the one in question', () => {
  const kept = heldOf({ id: 'r-0' })
  const stored = { movements: [], own: [], reinstated: 0n, redemptions: [kept, heldOf(), heldOf({ id: 'r-2' })] }
  const ledger = createWorkingLedger(snapshotOf({ history: responseTo(query, stored) }))
  const [used, held] = [redemptionIn('used', { orderId: 'o-1' }), heldOf({ id: 'r-3' })]
  const hidden = [
    redemptionIn('lapsed', { id: 'r-2' }),
    heldOf({ userId: 'ben', id: 'r-4' }),
    redemptionIn('voided', { id: 'r-5' }),
  ]
  ledger.write(recordedOf(), [], [used, held, ...hidden])
  assert.deepEqual(ledger.history(query).redemptions, [kept, used, held])
  assert.equal(redemptionsIn(ledger.changes).length, 5)
})

test('a higher version of a recorded state is written with its account, which stays as it is (decision 71)', () => {
  const account = accountOf({ points: 5n })
  const ledger = createWorkingLedger(snapshotOf({ accounts: new Map([['asha', account]]) }))
  ledger.raiseVersion(recordedOf({ stateVersion: 4 }))
  const { accounts, orders, entries } = ledger.changes
  assert.deepEqual(
    [accounts, orders, entries],
    [new Map([['asha', account]]), new Map([['o-1', recordedOf({ stateVersion: 4 })]]), []],
  )
})
