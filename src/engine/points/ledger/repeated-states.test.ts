import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { orderOf, published, recordedOf, snapshotOf } from '../../../../test/support/points.ts'
import type { Order, SentOrder } from '../model.ts'
import { addPendingChange, createPendingLedger, withPending } from './pending-ledger.ts'
import { recordOrders } from './record.ts'
import { createRepeatedStates } from './repeated-states.ts'
import type { Snapshot } from './snapshot.ts'

const NOW = '2026-06-09T00:00:00.000Z'
const plain = [published()]

const record = (sent: readonly SentOrder[], snapshot: Partial<Snapshot> = {}) =>
  recordOrders(sent, snapshotOf(snapshot), plain, NOW)

/** Records slices one after another, each on top of what those before it changed. */
function recordInSlices(
  slices: readonly (readonly SentOrder[])[],
  stored: Snapshot,
  repeatedIn: (slice: readonly SentOrder[]) => ReturnType<typeof createRepeatedStates>,
) {
  const pending = createPendingLedger()
  const view = withPending(stored, pending)
  return slices.map((slice) => {
    const recording = recordOrders(slice, view, plain, NOW, undefined, repeatedIn(slice))
    addPendingChange(pending, recording)
    return recording
  })
}

test('a list that ends in the recorded state adds no entries, unless a state before its end has a higher version (decision 71)', () => {
  const orders = new Map([['o-1', recordedOf()]])
  const other = orderOf({ total: 3_000_000n })
  const donesOf = (...sent: SentOrder[]) =>
    record(sent, { orders }).verdicts.map((one) => ('refused' in one ? one.refused : one.done))
  assert.deepEqual(donesOf(other, orderOf()), ['unchanged', 'unchanged'])
  assert.deepEqual(donesOf(other, orderOf({ total: 1n }), orderOf()), ['unchanged', 'unchanged', 'unchanged'])
  assert.deepEqual(donesOf(other, { ...orderOf(), stateVersion: 2 }), ['unchanged', 'unchanged'])
  assert.deepEqual(donesOf({ ...other, stateVersion: 1 }, { ...orderOf(), stateVersion: 2 }), [
    'unchanged',
    'unchanged',
  ])
  assert.deepEqual(donesOf({ ...other, stateVersion: 2 }, { ...orderOf(), stateVersion: 1 }), ['updated', 'stale'])
  assert.deepEqual(donesOf({ ...other, stateVersion: 0 }, orderOf()), ['updated', 'updated'])
  assert.deepEqual(donesOf(orderOf(), other), ['unchanged', 'updated'])
  assert.deepEqual(donesOf(other, orderOf(), orderOf({ id: 'o-2' })), ['unchanged', 'unchanged', 'inserted'])
  assert.deepEqual(donesOf(orderOf({ id: 'o-2' }), orderOf({ id: 'o-2', total: 1n })), ['inserted', 'updated'])
  assert.deepEqual(donesOf(other, orderOf({ userId: 'ben' })), ['updated', 'other-player'])
  const foreign = orderOf({ userId: 'ben' })
  assert.deepEqual(donesOf(other, orderOf(), foreign), ['unchanged', 'unchanged', 'other-player'])
  // A state with too many decimals does not count.
  const written = { ...other, decimals: { total: 1, discount: 0 } }
  assert.deepEqual(donesOf(other, orderOf(), written), ['unchanged', 'unchanged', 'total-decimals'])
  assert.deepEqual(donesOf(written, orderOf()), ['total-decimals', 'unchanged'])
})

test('a list does not end in the recorded state if its last state would be refused after one before it, or leaves out what that changed (decision 71)', () => {
  const orders = new Map([['o-1', recordedOf({ stateVersion: 1 })]])
  const under = (stateVersion: number, more: Partial<Order> = {}): SentOrder => ({ ...orderOf(more), stateVersion })
  const other = { total: 3_000_000n }
  const fulfilled = orderOf({ fulfilledAt: NOW })
  for (const [sent, expected, fulfilledAt] of [
    [
      [under(2, other), under(2)],
      ['updated', 'conflict'],
    ],
    [
      [under(1, other), under(1)],
      ['conflict', 'unchanged'],
    ],
    [
      [under(2, other), under(2), under(3)],
      ['unchanged', 'unchanged', 'unchanged'],
    ],
    [
      [under(2), under(2)],
      ['unchanged', 'unchanged'],
    ],
    [[fulfilled, orderOf()], ['updated', 'unchanged'], NOW],
    [
      [orderOf({ at: '2026-05-31T00:00:00.000Z' }), orderOf()],
      ['unchanged', 'unchanged'],
    ],
  ] as const) {
    const recording = record(sent, { orders })
    const dones = recording.verdicts.map((one) => ('refused' in one ? one.refused : one.done))
    assert.deepEqual(dones, expected)
    assert.equal(recording.orders.get('o-1')?.order.fulfilledAt, fulfilledAt)
    const alone = sent.map((state) => [state])
    const inTurn = recordInSlices(alone, snapshotOf({ orders }), createRepeatedStates).flatMap(
      ({ verdicts }) => verdicts,
    )
    const isRoundTrip = dones.every((done) => done === 'unchanged')
    if (!isRoundTrip) assert.deepEqual(recording.verdicts, inTurn)
  }
})

test('an older state before one that equals the recorded one is stale (decision 71)', () => {
  const orders = new Map([['o-1', recordedOf({ stateVersion: 7 })]])
  const sent = [
    { ...orderOf({ total: 1n }), stateVersion: 5 },
    { ...orderOf(), stateVersion: 7 },
  ]
  const { verdicts } = record(sent, { orders })
  assert.deepEqual(
    verdicts.map((one) => ('refused' in one ? one.refused : one.done)),
    ['stale', 'unchanged'],
  )
})

test('a list that ends in the recorded state of an order hides no state that another player sent under its id (decision 71)', () => {
  const { orders, accounts } = record([orderOf()])
  const [foreign, own] = record([orderOf({ userId: 'ben' }), orderOf()], { orders, accounts }).verdicts
  assert.deepEqual(foreign, { refused: 'other-player' })
  assert(own !== undefined && 'done' in own && own.done === 'unchanged')
})

test('all states of an order are decided on with the first of them, each player for themselves, and again if that is computed again', () => {
  const [changed, foreign, last] = [orderOf({ total: 1n }), orderOf({ userId: 'ben', total: 1n }), orderOf()]
  const single = orderOf({ id: 'o-2', total: 1n })
  const sent: readonly SentOrder[] = [single, changed, foreign, last]
  const repeated = createRepeatedStates(sent)
  const standIns = () => sent.map((state) => sent.indexOf(repeated.standInFor(state)))
  const known = (recorded = recordedOf()) => ({ order: () => recorded, programs: plain, now: NOW })
  assert.deepEqual(standIns(), [0, 1, 2, 3])
  for (const other of [single, foreign, last]) repeated.decide([other], known())
  assert.deepEqual(standIns(), [0, 1, 2, 3])
  repeated.decide([changed], known())
  assert.deepEqual(standIns(), [0, 3, 2, 3])
  repeated.decide([changed], known(recordedOf({ order: orderOf({ total: 2n }) })))
  assert.deepEqual(standIns(), [0, 1, 2, 3])
})

const aState = fc
  .record({
    id: fc.constantFrom('o-1', 'o-2', 'o-3'),
    userId: fc.constantFrom('asha', 'asha', 'asha', 'asha', 'asha', 'ben'),
    total: fc.constantFrom(1_000_000n, 2_000_000n),
    status: fc.constantFrom('placed' as const, 'placed' as const, 'cancelled' as const),
    stateVersion: fc.nat(9).map((one) => (one < 2 ? one : undefined)),
    tooFine: fc.nat(7).map((one) => one === 0),
  })
  .map(
    ({ stateVersion, tooFine, ...parts }): SentOrder => ({
      ...orderOf(parts),
      ...(stateVersion === undefined ? {} : { stateVersion }),
      ...(tooFine ? { decimals: { total: 1, discount: 0 } } : {}),
    }),
  )

test('a list has the same outcome in one call and cut into any slices that share its states (decision 71)', () => {
  let roundTrips = 0
  const lists = fc.array(aState, { maxLength: 12, size: 'max' })
  fc.assert(
    fc.property(lists, lists, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (earlier, sent, cuts) => {
      const before = createPendingLedger()
      addPendingChange(before, record(earlier))
      const stored = withPending(snapshotOf(), before)
      const whole = createRepeatedStates(sent)
      const recording = recordOrders(sent, stored, plain, NOW, undefined, whole)
      const slices: SentOrder[][] = [[]]
      for (const [place, one] of sent.entries()) {
        if (cuts[place]) slices.push([])
        slices.at(-1)!.push(one)
      }
      const repeated = createRepeatedStates(sent)
      const parts = recordInSlices(slices, stored, () => repeated)
      assert.deepEqual(
        [parts.flatMap(({ verdicts }) => verdicts), parts.flatMap(({ entries }) => entries)],
        [recording.verdicts, recording.entries],
      )
      roundTrips += sent.some((state) => whole.standInFor(state) !== state) ? 1 : 0
    }),
    { numRuns: 500 },
  )
  assert(roundTrips > 20, `${roundTrips} lists with an order that leads back`)
})
