import assert from 'node:assert/strict'
import test from 'node:test'
import {
  accountOf,
  heldOf,
  NOON,
  orderOf,
  PROFILE,
  recordedOf,
  redemptionIn,
  snapshotOf,
} from '../../../../test/support/points.ts'
import type { Entry } from '../model.ts'
import {
  addEntry,
  addToOverlay,
  createOverlay,
  type LedgerChange,
  layeredLookup,
  redemptionKey,
  withOverlay,
  withUnwrittenRedemptions,
} from './overlay.ts'

const entryOf = (userId: string, seq: bigint): Entry => ({
  userId,
  seq,
  kind: 'order',
  points: seq,
  counts: true,
  at: NOON,
})
const changeOf = (parts: Partial<LedgerChange>): LedgerChange => ({
  accounts: new Map(),
  orders: new Map(),
  entries: [],
  ...parts,
})

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

test('an empty overlay leaves the snapshot as it is', () => {
  const stored = snapshotOf({
    accounts: new Map([['asha', accountOf({ points: 1n })]]),
    orders: new Map([['o-1', { ownerId: 'ben' }]]),
    catalogue: new Map([['tea', 5n]]),
    codes: new Map([['ASHA', ['asha']]]),
    sums: new Map([['key', 7n]]),
    histories: new Map(),
    entriesOf: new Map([['asha', [entryOf('asha', 1n)]]]),
  })
  const view = withOverlay(stored, createOverlay())
  assert.deepEqual(view.accounts.get('asha'), accountOf({ points: 1n }))
  assert.deepEqual(view.orders.get('o-1'), { ownerId: 'ben' })
  assert.deepEqual(view.entriesOf.get('asha'), [entryOf('asha', 1n)])
  assert.deepEqual(view.entriesOf.get('ben'), [])
  assert.deepEqual([view.entriesOf.has('asha'), view.entriesOf.has('ben')], [true, false])
  assert.deepEqual(view.profiles.get('asha'), PROFILE)
  assert.deepEqual([view.catalogue, view.codes, view.sums], [stored.catalogue, stored.codes, stored.sums])
})

test('a change is visible over the snapshot as soon as it is added, with its entries after the stored ones', () => {
  const stored = snapshotOf({
    accounts: new Map([['asha', accountOf({ points: 1n })]]),
    orders: new Map([['o-1', recordedOf()]]),
    entriesOf: new Map([['asha', [entryOf('asha', 1n)]]]),
  })
  const overlay = createOverlay()
  const view = withOverlay(stored, overlay)
  const changed = recordedOf({ order: orderOf({ status: 'cancelled' }), rev: 2n })
  addToOverlay(
    overlay,
    changeOf({
      accounts: new Map([['asha', accountOf({ points: 2n })]]),
      orders: new Map([['o-1', changed]]),
      entries: [entryOf('asha', 2n), entryOf('ben', 1n)],
    }),
  )
  assert.equal(view.accounts.get('asha')?.points, 2n)
  assert.equal(view.orders.get('o-1'), changed)
  assert.deepEqual(view.entriesOf.get('asha'), [entryOf('asha', 1n), entryOf('asha', 2n)])
  assert.deepEqual(view.entriesOf.get('ben'), [entryOf('ben', 1n)])
  assert(view.entriesOf.has('ben'))
  addToOverlay(overlay, changeOf({ entries: [entryOf('asha', 3n)] }))
  addEntry(overlay, entryOf('asha', 4n))
  assert.deepEqual(
    view.entriesOf.get('asha')?.map(({ seq }) => seq),
    [1n, 2n, 3n, 4n],
  )
  assert.equal(view.accounts.get('asha')?.points, 2n)
  assert.deepEqual(stored.entriesOf.get('asha'), [entryOf('asha', 1n)])
})

test('redemptions are keyed by player and id, and later ones replace earlier ones', () => {
  const held = [heldOf(), heldOf({ id: 'r-2' }), heldOf({ userId: 'r-1', id: 'asha' })]
  const overlay = createOverlay()
  for (const one of [...held, heldOf({ points: 7n })])
    addToOverlay(overlay, changeOf({ redemptions: new Map([[redemptionKey(one), one]]) }))
  addToOverlay(overlay, changeOf({}))
  assert.deepEqual([...overlay.redemptions.values()], [heldOf({ points: 7n }), ...held.slice(1)])
})

test("a player has the holds and the asked redemption of earlier slices, which replace the stored ones, and nobody else's", () => {
  const stored = [heldOf({ id: 'stored' }), heldOf({ id: 'used' }), heldOf({ id: 'voided' })]
  const used = redemptionIn('confirmed', { id: 'used', points: 7n })
  const changed = [
    used,
    heldOf({ id: 'new' }),
    redemptionIn('voided', { id: 'voided' }),
    heldOf({ userId: 'ben', id: 'other' }),
  ]
  const overlay = createOverlay()
  addToOverlay(overlay, changeOf({ redemptions: new Map(changed.map((one) => [redemptionKey(one), one])) }))
  const found = (redemptionId = '') =>
    withUnwrittenRedemptions({ redemptions: stored }, { userId: 'asha', orderId: 'o-1', redemptionId }, overlay)
  assert.deepEqual(found(), [heldOf({ id: 'stored' }), heldOf({ id: 'new' })])
  assert.deepEqual(found('used'), [heldOf({ id: 'stored' }), used, heldOf({ id: 'new' })])
  assert.deepEqual(found('other'), found())
})
