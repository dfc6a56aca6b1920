import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { creditOn, heldOf } from '../../../../test/support/points.ts'
import { balanceOn } from '../lots/balance.ts'
import { debitOn, movementOf } from '../lots/movement.ts'
import type { Entry } from '../model.ts'
import { redemptionKey } from './overlay.ts'
import { balanceQuestion, historyKey, type PlayerHistory, windowKey } from './snapshot.ts'
import { addToUnwritten, createUnwritten, withUnwrittenHistories, withUnwrittenSums } from './unwritten.ts'

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-05'] as const

const asha = balanceQuestion('asha')
const empty: PlayerHistory = { movements: [], reinstated: 0n, own: [], redemptions: [] }
const noChange = { accounts: new Map(), orders: new Map(), entries: [] }

/** What slices of these entries leave unwritten. */
function unwrittenOf(...slices: readonly (readonly Entry[])[]) {
  const unwritten = createUnwritten()
  for (const entries of slices) addToUnwritten(unwritten, { ...noChange, entries })
  return unwritten
}

const historyWith = (unwritten: ReturnType<typeof createUnwritten>, stored = empty) =>
  withUnwrittenHistories(new Map([[historyKey(asha), stored]]), [asha], unwritten).get(historyKey(asha))!

const entryOn = (day: string, points: bigint, parts: Partial<Entry> = {}): Entry => ({
  ...{ userId: 'asha', seq: 1n, kind: 'order', points, counts: true, at: `${day}T12:00:00.000Z`, day },
  ...parts,
})

test('what many orders give and spend is one movement for each day, terms and direction', () => {
  const terms = { usableOn: DAYS[1], expiresOn: DAYS[4], slides: false }
  const entries = [
    entryOn(DAYS[0], 10n),
    entryOn(DAYS[0], 5n, { terms }),
    entryOn(DAYS[0], -2n, { kind: 'redemption' }),
    entryOn(DAYS[1], 1n),
  ]
  const slices = Array.from({ length: 100 }, () => entries)
  const { movements } = historyWith(unwrittenOf(...slices), { ...empty, movements: [creditOn(DAYS[0], 7n)] })
  assert.deepEqual(movements, [
    creditOn(DAYS[0], 7n),
    creditOn(DAYS[0], 1_000n),
    { ...terms, day: DAYS[0], given: 500n, spent: 0n },
    debitOn(DAYS[0], 200n),
    creditOn(DAYS[1], 100n),
  ])
})

test('points that are reinstated are added to those reinstated before', () => {
  const entry = entryOn(DAYS[0], 4n, { kind: 'reinstated', counts: false })
  const { movements, reinstated } = historyWith(unwrittenOf([entry, entryOn(DAYS[0], 1n)], [entry]), {
    ...empty,
    reinstated: 3n,
  })
  assert.deepEqual([movements, reinstated], [[creditOn(DAYS[0], 9n)], 11n])
})

test("only the player's own entries and redemptions are added to the stored ones", () => {
  const unwritten = unwrittenOf([entryOn(DAYS[0], 10n, { userId: 'ben', kind: 'reinstated' })])
  const held = [heldOf({ points: 7n }), heldOf({ userId: 'ben' })]
  const redemptions = new Map(held.map((one) => [redemptionKey(one), one]))
  addToUnwritten(unwritten, { ...noChange, redemptions })
  const stored = { ...empty, own: [{ day: DAYS[0], points: 3n }], redemptions: [heldOf()] }
  assert.deepEqual(historyWith(unwritten, stored), { ...stored, redemptions: [heldOf({ points: 7n })] })
})

test('what an order has given and spent in an earlier slice is left out of its own history and window', () => {
  const ofOrder = (id: string) => ({ order: { id, revision: 1n, program: 1 } })
  const unwritten = unwrittenOf(
    [entryOn(DAYS[0], 10n, ofOrder('o-1')), entryOn(DAYS[0], 5n, ofOrder('o-2'))],
    [entryOn(DAYS[1], -4n, { kind: 'redemption', counts: false, ...ofOrder('o-1') }), entryOn(DAYS[1], 2n)],
  )
  const question = { ...asha, orderId: 'o-1' }
  const histories = withUnwrittenHistories(new Map([[historyKey(question), empty]]), [question], unwritten)
  assert.deepEqual(histories.get(historyKey(question)), {
    ...empty,
    movements: [creditOn(DAYS[0], 5n), creditOn(DAYS[1], 2n)],
    own: [{ day: DAYS[1], points: 4n }],
  })
  const windowOf = (orderId: string, first: string) => ({
    ...{ userId: 'asha', orderId },
    ...{ from: `${first}T00:00:00.000Z`, to: `${DAYS[1]}T12:00:00.000Z` },
  })
  const windows = [windowOf('o-1', DAYS[0]), windowOf('o-1', DAYS[1]), windowOf('o-3', DAYS[0])]
  const none = new Map(windows.map((window) => [windowKey(window), 0n]))
  assert.deepEqual([...withUnwrittenSums(none, windows, unwritten).values()], [7n, 2n, 17n])
})

const day = fc.constantFrom(...DAYS)
const entry = fc
  .record({
    day,
    points: fc.bigInt({ min: 0n, max: 40n }),
    counts: fc.boolean(),
    kind: fc.constantFrom('order' as const, 'redemption' as const),
    slides: fc.boolean(),
    wait: fc.nat(1),
  })
  .map(({ day, points, counts, kind, slides, wait }) =>
    entryOn(day, kind === 'redemption' ? -points : points, {
      ...{ kind, counts },
      ...(kind === 'order'
        ? { terms: { usableOn: DAYS[DAYS.indexOf(day) + wait] ?? day, expiresOn: DAYS[4], slides } }
        : {}),
    }),
  )
const slices = fc.array(fc.array(entry, { maxLength: 8 }), { maxLength: 4 })

test('any slices leave the same balance as their entries one by one', () => {
  fc.assert(
    fc.property(slices, (slices) => {
      const { movements } = historyWith(unwrittenOf(...slices))
      assert.deepEqual(balanceOn(DAYS[4], movements, []), balanceOn(DAYS[4], slices.flat().map(movementOf), []))
    }),
  )
})

test('any slices add to a window what counts after its first moment, up to and including its last', () => {
  fc.assert(
    fc.property(slices, day, day, fc.bigInt({ min: 0n, max: 9n }), (slices, first, last, stored) => {
      const [from, to] = [first, last].sort().map((one) => `${one}T12:00:00.000Z`) as [string, string]
      const question = { userId: 'asha', orderId: 'o-1', from, to }
      const known = new Map([[windowKey(question), stored]])
      const sums = withUnwrittenSums(known, [question], unwrittenOf(...slices))
      const counted = slices.flat().filter(({ counts, at }) => counts && from < at && at <= to)
      assert.equal(
        sums.get(windowKey(question)),
        counted.reduce((sum, { points }) => sum + points, stored),
      )
    }),
  )
})
