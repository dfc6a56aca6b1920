import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  accountOf,
  creditOn,
  heldOf,
  NOON,
  orderOf,
  PROFILE,
  published,
  recordedOf,
  redemptionIn,
  responseTo,
  snapshotOf,
} from '../../../../test/support/points.ts'
import { type Movement, toMovement } from '../lots/movement.ts'
import type { Account, Entry, RecordedOrder, Redemption, SentOrder } from '../model.ts'
import { adjust, withPendingAdjustments } from './adjust.ts'
import {
  addPendingChange,
  addPendingEntry,
  adjustmentKey,
  createPendingLedger,
  type LedgerChange,
  layeredLookup,
  redemptionsIn,
  withPending,
} from './pending-ledger.ts'
import { recordOrders } from './record.ts'
import { createRepeatedStates } from './repeated-states.ts'
import {
  EMPTY_HISTORY,
  type HistoryQuery,
  type Lookup,
  type PlayerHistory,
  type Snapshot,
  type WindowQuery,
} from './snapshot.ts'

const changeOf = (parts: Partial<LedgerChange>): LedgerChange => ({
  accounts: new Map(),
  orders: new Map(),
  entries: [],
  ...parts,
})

function pendingOf(...changes: readonly Partial<LedgerChange>[]) {
  const pending = createPendingLedger()
  for (const change of changes) addPendingChange(pending, changeOf(change))
  return pending
}

/** A change of redemptions, of which later ones replace earlier ones. */
function redemptionsOf(...redemptions: readonly Redemption[]): Pick<LedgerChange, 'redemptions'> {
  const byPlayer = Map.groupBy(redemptions, ({ userId }) => userId)
  return {
    redemptions: new Map([...byPlayer].map(([userId, some]) => [userId, new Map(some.map((one) => [one.id, one]))])),
  }
}

test('the top layer hides what is below; what it lacks shows through', () => {
  const lookup = layeredLookup(
    new Map([
      ['both', 1],
      ['top', 2],
    ]),
    new Map([
      ['both', 3],
      ['base', 4],
    ]),
  )
  assert.deepEqual(['both', 'top', 'base', 'none'].map(lookup.get), [1, 2, 4, undefined])
  assert.deepEqual(['both', 'top', 'base', 'none'].map(lookup.has), [true, true, true, false])
})

const window: WindowQuery = { userId: 'asha', orderId: 'o-1', from: '2026-05-01T00:00:00.000Z', to: NOON }
const query: HistoryQuery = { userId: 'asha', orderId: 'o-1', redemptionId: 'r-1' }

test('no changes leave the snapshot as it is', () => {
  const history = { ...EMPTY_HISTORY, reinstated: 5n, redemptions: [heldOf()] }
  const stored = snapshotOf({
    accounts: new Map([['asha', accountOf({ points: 1n })]]),
    orders: new Map([['o-1', { ownerId: 'ben' }]]),
    catalogue: new Map([['tea', 5n]]),
    codes: new Map([['ASHA', [{ referrerId: 'asha' }]]]),
    levelPointsIn: responseTo(window, 7n),
    history: responseTo(query, history),
  })
  const view = withPending(stored, createPendingLedger())
  assert.deepEqual(view.accounts.get('asha'), accountOf({ points: 1n }))
  assert.deepEqual(view.orders.get('o-1'), { ownerId: 'ben' })
  assert.deepEqual(view.profiles.get('asha'), PROFILE)
  assert.deepEqual([view.catalogue, view.codes], [stored.catalogue, stored.codes])
  assert.deepEqual([view.levelPointsIn(window), view.history(query)], [7n, history])
})

test('what the snapshot has not read stays unknown, whatever is pending', () => {
  const entry: Entry = { userId: 'asha', seq: 1n, kind: 'order', points: 1n, counts: true, at: NOON }
  const view = withPending(snapshotOf(), pendingOf({ entries: [entry], ...redemptionsOf(heldOf()) }))
  assert.deepEqual([view.levelPointsIn(window), view.history(query)], [undefined, undefined])
})

test('a change is visible over the snapshot as soon as it is added', () => {
  const stored = snapshotOf({
    accounts: new Map([['asha', accountOf({ points: 1n })]]),
    orders: new Map([['o-1', recordedOf()]]),
    levelPointsIn: () => 1n,
  })
  const pending = createPendingLedger()
  const view = withPending(stored, pending)
  const changed = recordedOf({ order: orderOf({ status: 'cancelled' }), rev: 2n })
  const entry: Entry = { userId: 'asha', seq: 2n, kind: 'order', points: 2n, counts: true, at: NOON }
  addPendingChange(
    pending,
    changeOf({
      accounts: new Map([['asha', accountOf({ points: 2n })]]),
      orders: new Map([['o-1', changed]]),
      entries: [entry],
    }),
  )
  assert.equal(view.accounts.get('asha')?.points, 2n)
  assert.equal(view.orders.get('o-1'), changed)
  assert.equal(view.levelPointsIn(window), 3n)
  addPendingEntry(pending, entry)
  assert.equal(view.levelPointsIn(window), 5n)
  assert.equal(view.accounts.get('asha')?.points, 2n)
  assert.equal(stored.accounts.get('asha')?.points, 1n)
})

test('redemptions are kept by player and id, and later ones replace earlier ones', () => {
  const held = [heldOf(), heldOf({ id: 'r-2' }), heldOf({ userId: 'r-1', id: 'asha' })]
  const pending = pendingOf(...[...held, heldOf({ points: 7n })].map((one) => redemptionsOf(one)), {})
  assert.deepEqual(redemptionsIn(pending), [heldOf({ points: 7n }), ...held.slice(1)])
})

test("a player has the holds and the asked redemption of earlier slices, which replace the stored ones, and nobody else's", () => {
  const redemptions = [heldOf({ id: 'stored' }), heldOf({ id: 'used' }), heldOf({ id: 'voided' })]
  const used = redemptionIn('confirmed', { id: 'used', points: 7n })
  const changed = [
    used,
    heldOf({ id: 'new' }),
    redemptionIn('voided', { id: 'voided' }),
    heldOf({ userId: 'ben', id: 'other' }),
  ]
  const stored = snapshotOf({ history: () => ({ ...EMPTY_HISTORY, redemptions }) })
  const view = withPending(stored, pendingOf(redemptionsOf(...changed)))
  const found = (redemptionId = '') => view.history({ ...query, redemptionId })?.redemptions
  assert.deepEqual(found(), [heldOf({ id: 'stored' }), heldOf({ id: 'new' })])
  assert.deepEqual(found('used'), [heldOf({ id: 'stored' }), used, heldOf({ id: 'new' })])
  assert.deepEqual(found('other'), found())
})

test('an adjustment that a dry run has made is there for its next slices, with its account', () => {
  const known = { accounts: new Map([['asha', accountOf()]]), made: new Map() }
  const booking = { at: NOON, day: '2026-06-01' }
  const gift = { id: 'a-1', userId: 'asha', points: 10n, counts: true, reason: 'gift' }
  const pending = createPendingLedger()
  const view = withPendingAdjustments(known, pending)
  const [first, again, next] = [[gift], [gift, { ...gift, reason: 'other' }], [{ ...gift, id: 'a-2' }]].map((slice) => {
    const made = adjust(slice, view, booking)
    addPendingChange(pending, changeOf(made))
    return made
  })
  assert.deepEqual(first!.verdicts, [{ done: 'inserted' }])
  assert.deepEqual(again!.verdicts, [{ done: 'unchanged' }, { refused: 'other-content' }])
  assert.deepEqual([next!.entries[0]!.seq, next!.accounts.get('asha')!.points], [2n, 20n])
})

// Generated changes.

const PLAYERS = ['asha', 'ben'] as const
const ORDERS = ['o-1', 'o-2', 'o-3'] as const
const IDS = ['x-1', 'x-2'] as const
const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03'] as const

const userId = fc.constantFrom(...PLAYERS)
const day = fc.constantFrom(...DAYS)
const account = fc.record({ userId, points: fc.bigInt({ min: 0n, max: 9n }) })
const order = fc.record({ id: fc.constantFrom(...ORDERS), userId, rev: fc.bigInt({ min: 1n, max: 9n }) })
const redemption = fc.record({
  userId,
  id: fc.constantFrom(...IDS),
  state: fc.constantFrom('held' as const, 'used' as const, 'voided' as const),
  points: fc.bigInt({ min: 1n, max: 9n }),
})
const entry = fc
  .record({
    userId,
    id: fc.constantFrom(...ORDERS, undefined),
    day,
    points: fc.bigInt({ min: -20n, max: 40n }).filter((points) => points !== 0n),
    kind: fc.constantFrom('order' as const, 'redemption' as const, 'reinstated' as const),
    counts: fc.boolean(),
    adjustment: fc.constantFrom(...IDS),
    slides: fc.constantFrom(undefined, false, true),
  })
  .map(
    ({ id, day, slides, adjustment, kind, ...rest }): Entry => ({
      ...{ ...rest, seq: 1n, at: `${day}T12:00:00.000Z`, day },
      ...(id === undefined
        ? { kind: 'adjustment', adjustment: { id: adjustment, reason: 'gift' } }
        : { kind, order: { id, revision: 1n, program: 1 } }),
      ...(slides === undefined ? {} : { terms: { usableOn: day, expiresOn: DAYS[2], slides } }),
    }),
  )
const change = fc
  .record({
    accounts: fc.array(account, { maxLength: 2 }),
    orders: fc.array(order, { maxLength: 2 }),
    redemptions: fc.array(redemption, { maxLength: 2 }),
    entries: fc.array(entry, { maxLength: 6 }),
  })
  .map(
    ({ accounts, orders, redemptions, entries }): LedgerChange => ({
      accounts: new Map(accounts.map(({ userId, points }) => [userId, accountOf({ points })])),
      orders: new Map(orders.map(({ id, userId, rev }) => [id, recordedOf({ order: orderOf({ id, userId }), rev })])),
      ...redemptionsOf(
        ...redemptions.map(({ state, ...one }) => (state === 'held' ? heldOf(one) : redemptionIn(state, one))),
      ),
      entries,
    }),
  )

/** What a store answers once these changes are written: each query from plain lists, as its statements do. */
function storeWith(changes: readonly LedgerChange[]): { snapshot: Snapshot; made: Map<string, Entry> } {
  const entries = changes.flatMap((one) => one.entries)
  const redemptions = new Map(changes.flatMap(redemptionsIn).map((one) => [`${one.userId} ${one.id}`, one]))
  const pointsOf = (some: readonly Entry[]) => some.reduce((sum, { points }) => sum + points, 0n)
  return {
    snapshot: snapshotOf({
      accounts: new Map(changes.flatMap((one): [string, Account][] => [...one.accounts])),
      orders: new Map(changes.flatMap((one): [string, RecordedOrder][] => [...one.orders])),
      levelPointsIn: ({ userId, orderId, from, to }) =>
        pointsOf(
          entries.filter(
            (one) => one.userId === userId && one.counts && one.order?.id !== orderId && from < one.at && one.at <= to,
          ),
        ),
      history: ({ userId, orderId, redemptionId }) => {
        const all = entries.filter((one) => one.userId === userId)
        const isOwn = ({ order, kind }: Entry) => order !== undefined && order.id === orderId && kind !== 'reinstated'
        const spent = all.filter((one) => isOwn(one) && one.kind === 'redemption')
        return {
          movements: all.filter((one) => !isOwn(one)).map(toMovement),
          reinstated: pointsOf(all.filter(({ kind }) => kind === 'reinstated')),
          own: [...Map.groupBy(spent, (one) => one.day!)].map(([day, some]) => ({ day, points: -pointsOf(some) })),
          redemptions: [...redemptions.values()].filter(
            (one) => one.userId === userId && (one.state === 'held' || one.id === redemptionId),
          ),
        }
      },
    }),
    made: new Map(
      entries.flatMap((one) => (one.adjustment ? [[adjustmentKey(one.userId, one.adjustment.id), one]] : [])),
    ),
  }
}

/** A history as a set: movements summed by day and terms, and everything in one order. */
function inOrder({ movements, own, reinstated, redemptions }: PlayerHistory) {
  const sums = Map.groupBy(movements, ({ given, spent, ...terms }: Movement) =>
    JSON.stringify(Object.entries(terms).sort()),
  )
  return {
    movements: [...sums]
      .map(([terms, some]) => ({
        terms,
        given: some.reduce((sum, { given }) => sum + given, 0n),
        spent: some.reduce((sum, { spent }) => sum + spent, 0n),
      }))
      .sort((a, b) => (a.terms < b.terms ? -1 : 1)),
    own: own.toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    reinstated,
    redemptions: redemptions.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

const histories: readonly HistoryQuery[] = PLAYERS.flatMap((userId) =>
  ['', ...ORDERS].flatMap((orderId) => ['', ...IDS].map((redemptionId) => ({ userId, orderId, redemptionId }))),
)
const windows: readonly WindowQuery[] = PLAYERS.flatMap((userId) =>
  ['', ...ORDERS].flatMap((orderId) =>
    DAYS.flatMap((from) =>
      DAYS.filter((to) => from <= to).map((to) => ({
        userId,
        orderId,
        from: `${from}T12:00:00.000Z`,
        to: `${to}T12:00:00.000Z`,
      })),
    ),
  ),
)

/** Everything that can be asked. */
function answersOf(snapshot: Snapshot, made: { get: (key: string) => Entry | undefined }) {
  return {
    accounts: PLAYERS.map((id) => [snapshot.accounts.has(id), snapshot.accounts.get(id)]),
    orders: ORDERS.map((id) => [snapshot.orders.has(id), snapshot.orders.get(id)]),
    adjustments: PLAYERS.flatMap((userId) => IDS.map((id) => made.get(adjustmentKey(userId, id)))),
    windows: windows.map((one) => snapshot.levelPointsIn(one)),
    histories: histories.map((one) => inOrder(snapshot.history(one)!)),
  }
}

test('whatever is written, pending in any slices, or pending on one another, the answers are the same as if all were written', () => {
  const written = fc.array(change, { maxLength: 2 })
  const layers = fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 3 })
  fc.assert(
    fc.property(written, layers, (written, layers) => {
      const stored = storeWith(written)
      let [view, adjustments] = [
        stored.snapshot,
        { accounts: stored.snapshot.accounts, made: stored.made as Lookup<Entry> },
      ]
      const done = [...written]
      for (const layer of layers) {
        const pending = createPendingLedger()
        view = withPending(view, pending)
        adjustments = withPendingAdjustments(adjustments, pending)
        for (const one of layer) {
          addPendingChange(pending, one)
          done.push(one)
          const all = storeWith(done)
          assert.deepEqual(answersOf(view, adjustments.made), answersOf(all.snapshot, all.made))
        }
      }
    }),
    { numRuns: 200 },
  )
})

const programs = [
  published({ referral: { friend: 5, referrer: 7 } }),
  published({
    levels: {
      counts: { window: 'P1M' },
      ladder: [
        { name: 'Bronze', from: 0 },
        { name: 'Silver', from: 90 },
      ],
    },
  }),
  published({
    points: { pending: { days: 2 }, expire: { inactive: 'P6D' } },
    redeem: { value: { points: 1, pays: 1 }, 'part-paid-earns': true, 'given-back': 'P4D' },
    earn: [
      { name: 'base', 'per-amount': { points: 1, every: 1 } },
      { name: 'rich', when: 'player.points > 40', fixed: { points: 9 } },
    ],
  }),
]
const sentOrder = fc
  .record({
    id: fc.constantFrom(...ORDERS, 'o-4', 'o-5'),
    userId,
    daysAgo: fc.nat(40),
    amount: fc.constantFrom(10n, 20n, 60n),
    status: fc.constantFrom('placed' as const, 'placed' as const, 'cancelled' as const),
    pointsRedeemed: fc.option(fc.bigInt({ min: 1n, max: 30n }), { nil: undefined }),
    redemptionId: fc.constantFrom(undefined, undefined, 'r-1'),
    referralCode: fc.constantFrom('', 'BEN'),
  })
  .map(
    ({ daysAgo, amount, pointsRedeemed, redemptionId, ...parts }): SentOrder => ({
      ...orderOf({ ...parts, total: amount * 10_000n }),
      at: new Date(Date.parse(NOON) - daysAgo * 86_400_000).toISOString(),
      ...(pointsRedeemed === undefined ? {} : { pointsRedeemed }),
      ...(pointsRedeemed === undefined || redemptionId === undefined ? {} : { redemptionId }),
    }),
  )

test('a dry run in any slices comes to the same verdicts and entries as one slice', () => {
  const lists = fc.array(sentOrder, { minLength: 2, maxLength: 12, size: 'max' })
  const stored = snapshotOf({
    codes: new Map([['BEN', [{ referrerId: 'ben' }]]]),
    levelPointsIn: () => 0n,
    history: () => ({ ...EMPTY_HISTORY, movements: [creditOn('2026-05-30', 50n)], redemptions: [heldOf()] }),
  })
  fc.assert(
    fc.property(fc.constantFrom(...programs), lists, fc.array(fc.boolean()), (program, orders, cuts) => {
      const slices: SentOrder[][] = [[]]
      for (const [place, one] of orders.entries()) {
        if (cuts[place]) slices.push([])
        slices.at(-1)!.push(one)
      }
      // Ends of round trips are found for a whole list: alone, each state is recorded as it is.
      const alone = () => createRepeatedStates([])
      const whole = recordOrders(orders, stored, [program], NOON, undefined, alone())
      const pending = createPendingLedger()
      const view = withPending(stored, pending)
      const parts = slices.map((slice) => {
        const part = recordOrders(slice, view, [program], NOON, undefined, alone())
        addPendingChange(pending, part)
        return part
      })
      assert.deepEqual(
        [parts.flatMap(({ verdicts }) => verdicts), parts.flatMap(({ entries }) => entries)],
        [whole.verdicts, whole.entries],
      )
      const last = pendingOf(whole)
      assert.deepEqual(
        [pending.accounts, pending.orders, pending.redemptions],
        [last.accounts, last.orders, last.redemptions],
      )
    }),
    { numRuns: 300 },
  )
})
