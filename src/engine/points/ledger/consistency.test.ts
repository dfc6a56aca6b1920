import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { accountOf, NOON, orderOf, recordedOf } from '../../../../test/support/points.ts'
import type { Account, Entry, RecordedOrder, SentOrder } from '../model.ts'
import { readProgram } from '../program.ts'
import { EMPTY_ACCOUNT } from './account.ts'
import { adjust } from './adjust.ts'
import { assertConsistent } from './consistency.ts'
import type { LedgerChange } from './pending-ledger.ts'
import { recordOrders } from './record.ts'
import type { Snapshot } from './snapshot.ts'

const PLAYERS = ['asha', 'ben', 'chitra']
const NOW = '2026-06-01T00:00:00.000Z'

const read = readProgram({
  name: 'Test',
  rounding: 'floor',
  levels: { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }] },
  earn: [{ name: 'base', 'per-amount': { points: 1, every: 1 } }],
  referral: { friend: 5, referrer: 7, counts: true },
})
assert('program' in read)
const PROGRAMS = [{ version: 1, from: '-infinity', program: read.program }]

const orders: fc.Arbitrary<SentOrder[]> = fc.array(
  fc.record({
    id: fc.constantFrom('o-1', 'o-2', 'o-3', 'o-4'),
    userId: fc.constantFrom('asha', 'ben'),
    lines: fc.constant([]),
    total: fc.integer({ min: 0, max: 9 }).map((whole) => BigInt(whole) * 10_000n),
    discount: fc.constant(0n),
    referralCode: fc.constantFrom('', 'CODE-ben', 'CODE-chitra'),
    subscriptPoints: fc.constant(false),
    status: fc.constantFrom('placed', 'cancelled'),
    at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
  }),
  { minLength: 1, maxLength: 12 },
)

/** A snapshot after some orders were recorded. */
function snapshotAfter(recorded: LedgerChange): Snapshot {
  const profile = { region: '', district: '', country: '', gender: '' }
  return {
    profiles: new Map(
      PLAYERS.map((userId, place) => [userId, place === 1 ? { ...profile, participates: false } : profile]),
    ),
    accounts: recorded.accounts,
    orders: recorded.orders,
    catalogue: new Map(),
    codes: new Map(PLAYERS.map((userId) => [`CODE-${userId}`, [{ referrerId: userId }]])),
    levelPointsIn: () => undefined,
    history: () => undefined,
  }
}

const NOTHING: LedgerChange = { accounts: new Map(), orders: new Map(), entries: [] }

/** A change of orders that are partly recorded already, and the snapshot it was computed from. */
const changes = fc.tuple(orders, orders).map(([earlier, later]) => {
  const before = snapshotAfter(recordOrders(earlier, snapshotAfter(NOTHING), PROGRAMS, NOW))
  const change: LedgerChange = recordOrders(later, before, PROGRAMS, NOW)
  return { before, change }
})

const withEntry = (change: LedgerChange, index: number, parts: Partial<Entry>): LedgerChange => ({
  ...change,
  entries: change.entries.map((entry, place) => (place === index ? { ...entry, ...parts } : entry)),
})
const withOrder = (change: LedgerChange, order: RecordedOrder, parts: Partial<RecordedOrder>): LedgerChange => ({
  ...change,
  orders: new Map(change.orders).set(order.order.id, { ...order, ...parts }),
})
const withAccount = (change: LedgerChange, userId: string, parts: Partial<Account>): LedgerChange => ({
  ...change,
  accounts: new Map(change.accounts).set(userId, { ...change.accounts.get(userId)!, ...parts }),
})

function otherKind({ kind }: Entry): Entry['kind'] {
  return kind === 'order' ? 'referral' : 'order'
}

/** Every way in which one entry, order or account of a change can be wrong. */
function issuesIn(change: LedgerChange): [issue: string, broken: LedgerChange][] {
  const { entries, orders, accounts } = change
  return [
    ...entries.flatMap((entry, index): [string, LedgerChange][] => [
      ['an entry of other points', withEntry(change, index, { points: entry.points + 1n })],
      ['an entry of another player', withEntry(change, index, { userId: 'dev' })],
      ['an entry about another order', withEntry(change, index, { order: { ...entry.order!, id: 'o-9' } })],
      ['an entry with a gap before it', withEntry(change, index, { seq: entry.seq + 1n })],
      ['a missing entry', { ...change, entries: entries.toSpliced(index, 1) }],
      ['an entry that appears twice', { ...change, entries: entries.toSpliced(index, 0, entry) }],
    ]),
    // An entry of 0 points may have any moment and kind.
    ...entries.flatMap((entry, index): [string, LedgerChange][] =>
      entry.points === 0n
        ? []
        : [
            ['an entry at another moment', withEntry(change, index, { at: '2026-03-01T00:00:00.000Z' })],
            ['an entry of the other kind', withEntry(change, index, { kind: otherKind(entry) })],
            ['an entry that counts otherwise', withEntry(change, index, { counts: !entry.counts })],
          ],
    ),
    ...[...orders.values()].flatMap((order): [string, LedgerChange][] => [
      ['an order of other points', withOrder(change, order, { points: order.points + 1n })],
      ['an order with another referrer', withOrder(change, order, { referrer: { userId: 'dev', points: 7n } })],
      [
        'an order whose referrer got other points',
        withOrder(change, order, {
          referrer: { userId: 'ben', points: (order.referrer?.userId === 'ben' ? order.referrer.points : 0n) + 1n },
        }),
      ],
    ]),
    ...[...accounts].flatMap(([userId, account]): [string, LedgerChange][] => [
      ['an account of other points', withAccount(change, userId, { points: account.points - 1n })],
      ['an account of another level', withAccount(change, userId, { levelPoints: account.levelPoints + 1n })],
      ['an account with another number of entries', withAccount(change, userId, { entries: account.entries + 1n })],
      ...(entries.some((entry) => entry.userId === userId)
        ? [
            [
              'an account that is not written',
              { ...change, accounts: new Map([...accounts].filter(([id]) => id !== userId)) },
            ] as [string, LedgerChange],
          ]
        : []),
    ]),
  ]
}

test('the result of recording orders is consistent, and any single fault in it is found', () => {
  const found = new Map<string, number>()
  fc.assert(
    fc.property(changes, ({ before, change }) => {
      assertConsistent(change, before)
      for (const [issue, broken] of issuesIn(change)) {
        assert.throws(() => assertConsistent(broken, before), assert.AssertionError, issue)
        found.set(issue, (found.get(issue) ?? 0) + 1)
      }
    }),
    { numRuns: 300 },
  )
  assert.equal(found.size, 16, [...found.keys()].join())
  for (const [issue, count] of found) assert(count > 100, `${issue} was tried ${count} times`)
})

function withoutBalance(change: LedgerChange, id: string): LedgerChange {
  const order = change.orders.get(id)!
  const { points: _, ...player } = order.facts.player
  return { ...change, orders: new Map([...change.orders, [id, { ...order, facts: { ...order.facts, player } }]]) }
}

test('an assertion names the order, or the player whose account is wrong', () => {
  const before = snapshotAfter(NOTHING)
  const [order] = fc.sample(orders, { numRuns: 1, seed: 1 })[0]!
  const sent = { ...order!, id: 'o-1', userId: 'asha', total: 30_000n, referralCode: '', status: 'placed' as const }
  const change = recordOrders([{ ...sent, at: NOW }], before, PROGRAMS, NOW)
  const sentences = [
    withEntry(change, 0, { points: 5n }),
    withEntry(change, 0, { seq: 3n }),
    withEntry(change, 0, { order: { ...change.entries[0]!.order!, id: 'o-9' } }),
    withAccount(change, 'asha', { points: 4n }),
    { ...change, accounts: new Map() },
    withoutBalance(change, 'o-1'),
  ].map((broken) => {
    try {
      assertConsistent(broken, before)
    } catch (error) {
      return (error as Error).message
    }
    return undefined
  })
  assert.deepEqual(sentences, [
    'order o-1: its order entries for asha at 2026-06-01T00:00:00.000Z are off by 2 points',
    'order o-1: its entry for asha is number 3, and the one before it is number 0',
    'order o-9 has a new entry, and is not written',
    'account of asha: points 4, and its entries give 3',
    'player asha has new entries, and their account is not written',
    'order o-1 has no balance among its facts',
  ])
})

test('adjustments are consistent, and one with a gap before it is not', () => {
  const known = { accounts: new Map([['asha', { ...EMPTY_ACCOUNT, points: 5n, entries: 2n }]]), made: new Map() }
  const gift = { id: 'g', userId: 'asha', points: 10n, counts: false, reason: 'r' }
  const change = {
    ...adjust([gift, { ...gift, id: 'h' }], known, { at: NOW, day: NOW.slice(0, 10) }),
    orders: new Map(),
  }
  const before = { accounts: known.accounts, orders: new Map() }
  assertConsistent(change, before)
  assert.throws(
    () => assertConsistent(withEntry(change, 1, { seq: 5n }), before),
    /adjustment h: its entry for asha is number 5, and the one before it is number 3/,
  )
})

test('an order posts exactly what it redeems and what it gives back; reinstated points follow from the day (decision 139)', () => {
  const redeeming = (pointsRedeemed: bigint) => new Map([['o-1', recordedOf({ order: orderOf({ pointsRedeemed }) })]])
  const posted = (...redemptions: readonly Pick<Entry, 'kind' | 'points'>[]): LedgerChange => {
    const own = { userId: 'asha', counts: false, at: NOON, order: { id: 'o-1', revision: 2n, program: 1 } }
    const entries = redemptions.map((one, index) => ({ ...own, ...one, seq: BigInt(index + 1) }))
    const points = redemptions.reduce((sum, one) => sum + one.points, 0n)
    const accounts = new Map([['asha', accountOf({ points, entries: BigInt(entries.length) })]])
    return { accounts, orders: redeeming(20n), entries }
  }
  const before = { accounts: new Map(), orders: redeeming(50n) }
  assertConsistent(posted({ kind: 'redemption', points: 30n }), before)
  assertConsistent(posted({ kind: 'redemption', points: 30n }, { kind: 'reinstated', points: 7n }), before)
  for (const points of [-30n, 29n])
    assert.throws(() => assertConsistent(posted({ kind: 'redemption', points }), before), {
      message: `order o-1: its redemption entries for asha at ${NOON} are off by ${points - 30n} points`,
    })
  assert.throws(
    () => assertConsistent(posted({ kind: 'order', points: 30n }), before),
    /its redemption entries for asha/,
  )
})

test('the entry of a redemption without an order follows the one before it', () => {
  const entry: Entry = {
    ...{ userId: 'asha', seq: 3n, kind: 'redemption', points: -5n, counts: false, at: NOON },
    redemption: { id: 'r-1', reason: 'checkout' },
  }
  const before = { accounts: new Map([['asha', accountOf({ entries: 1n })]]), orders: new Map() }
  assert.throws(() => assertConsistent({ accounts: new Map(), orders: new Map(), entries: [entry] }, before), {
    message: 'redemption r-1: its entry for asha is number 3, and the one before it is number 1',
  })
})
