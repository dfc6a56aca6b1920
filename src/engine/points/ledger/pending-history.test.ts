import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { creditOn } from '../../../../test/support/points.ts'
import { balanceOn } from '../lots/balance.ts'
import { debitOn, type Movement, toMovement } from '../lots/movement.ts'
import type { Entry } from '../model.ts'
import { addToEntries, createPendingEntries, pendingLevelPoints, withPendingEntries } from './pending-history.ts'
import { EMPTY_HISTORY, type PlayerHistory } from './snapshot.ts'

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-05'] as const

function pendingOf(entries: readonly Entry[]) {
  const pending = createPendingEntries()
  for (const entry of entries) addToEntries(pending, entry)
  return pending
}

function historyOf(orderId: string, entries: readonly Entry[], stored = EMPTY_HISTORY): PlayerHistory {
  return withPendingEntries(stored, { userId: 'asha', orderId, redemptionId: '' }, pendingOf(entries))
}

const entryOf = (id: string | undefined, day: string, points: bigint, parts: Partial<Entry> = {}): Entry => ({
  ...{ userId: 'asha', seq: 1n, kind: 'order', points, counts: true, at: `${day}T12:00:00.000Z`, day },
  ...(id === undefined ? {} : { order: { id, revision: 1n, program: 1 } }),
  ...parts,
})

test('entries of one day, terms and direction are one movement, however many there are', () => {
  const terms = { usableOn: DAYS[1], expiresOn: DAYS[4], slides: false }
  const entries = Array.from({ length: 1_000 }, (_, place) => [
    entryOf(`o-${place}`, DAYS[0], 10n),
    entryOf(`o-${place}`, DAYS[0], 5n, { terms }),
    entryOf(`o-${place}`, DAYS[0], -2n, { kind: 'redemption', counts: false }),
  ]).flat()
  const stored = { ...EMPTY_HISTORY, movements: [creditOn(DAYS[0], 7n)] }
  assert.deepEqual(historyOf('', entries, stored).movements, [
    creditOn(DAYS[0], 7n),
    creditOn(DAYS[0], 10_000n),
    { ...terms, day: DAYS[0], given: 5_000n, spent: 0n },
    debitOn(DAYS[0], 2_000n),
  ])
  assert.deepEqual(historyOf('o-7', entries, stored), {
    ...stored,
    movements: [
      creditOn(DAYS[0], 7n),
      creditOn(DAYS[0], 9_990n),
      { ...terms, day: DAYS[0], given: 4_995n, spent: 0n },
      debitOn(DAYS[0], 1_998n),
    ],
    own: [{ day: DAYS[0], points: 2n }],
  })
  const window = { userId: 'asha', orderId: 'o-7', from: `${DAYS[0]}T00:00:00.000Z`, to: `${DAYS[1]}T00:00:00.000Z` }
  assert.equal(pendingLevelPoints(window, pendingOf(entries)), 15_000n - 15n)
})

test("only the player's own entries are added to a history", () => {
  const stored = { ...EMPTY_HISTORY, own: [{ day: DAYS[0], points: 3n }] }
  assert.equal(historyOf('', [entryOf('o-1', DAYS[0], 10n, { userId: 'ben', kind: 'reinstated' })], stored), stored)
})

test('points that are reinstated are added to those reinstated before', () => {
  const entry = entryOf(undefined, DAYS[0], 4n, { kind: 'reinstated', counts: false })
  const entries = [entry, entryOf(undefined, DAYS[0], 1n), entry]
  const { movements, reinstated } = historyOf('', entries, { ...EMPTY_HISTORY, reinstated: 3n })
  assert.deepEqual([movements, reinstated], [[creditOn(DAYS[0], 9n)], 11n])
})

test('what an order has given and spent is left out of its own history and window', () => {
  const entries = [
    entryOf('o-1', DAYS[0], 10n),
    entryOf('o-2', DAYS[0], 5n),
    entryOf('o-1', DAYS[1], -4n, { kind: 'redemption', counts: false }),
    entryOf(undefined, DAYS[1], 2n),
    entryOf(undefined, DAYS[1], 1n, { userId: 'ben' }),
  ]
  assert.deepEqual(historyOf('o-1', entries), {
    ...EMPTY_HISTORY,
    movements: [creditOn(DAYS[0], 5n), creditOn(DAYS[1], 2n)],
    own: [{ day: DAYS[1], points: 4n }],
  })
  const pending = pendingOf(entries)
  const pointsIn = (orderId: string, first: string) => {
    const [from, to] = [`${first}T00:00:00.000Z`, `${DAYS[1]}T12:00:00.000Z`]
    return pendingLevelPoints({ userId: 'asha', orderId, from, to }, pending)
  }
  assert.deepEqual([pointsIn('o-1', DAYS[0]), pointsIn('o-1', DAYS[1]), pointsIn('o-3', DAYS[0])], [7n, 2n, 17n])
})

test('an order that has given back all its points has spent 0 on their day', () => {
  const entries = [-30n, 30n].map((points) => entryOf('o-1', DAYS[0], points, { kind: 'redemption' }))
  assert.deepEqual(historyOf('o-1', entries), { ...EMPTY_HISTORY, own: [{ day: DAYS[0], points: 0n }] })
  const stored = { ...EMPTY_HISTORY, own: [{ day: DAYS[0], points: 5n }] }
  assert.deepEqual(historyOf('o-1', entries.slice(1), stored).own, [{ day: DAYS[0], points: -25n }])
})

test('an order that gave and took back points has still extended expiries that slide', () => {
  const terms = { usableOn: DAYS[0], expiresOn: DAYS[3], slides: true }
  const entries = [9n, -9n].map((points) => entryOf('o-1', DAYS[0], points, { terms }))
  assert.deepEqual(historyOf('o-2', entries).movements, [{ ...terms, day: DAYS[0], given: 0n, spent: 0n }])
  assert.deepEqual(historyOf('o-1', entries).movements, [])
  const more = entryOf('o-2', DAYS[0], 5n, { terms })
  assert.deepEqual(historyOf('o-2', [...entries, more]).movements, historyOf('o-2', entries).movements)
})

const entry = fc
  .record({
    id: fc.constantFrom('o-1', 'o-2', 'o-3', undefined),
    day: fc.nat(DAYS.length - 1),
    points: fc.bigInt({ min: -20n, max: 40n }),
    kind: fc.constantFrom('order' as const, 'redemption' as const, 'reinstated' as const, 'adjustment' as const),
    terms: fc.option(fc.record({ wait: fc.nat(2), lasts: fc.integer({ min: 1, max: 3 }), slides: fc.boolean() })),
  })
  .filter(({ kind, points }) => kind !== 'redemption' || points !== 0n)
  .map(({ id, day, points, kind, terms }) => {
    const dayAt = (place: number) => DAYS[place] ?? 'infinity'
    return entryOf(kind === 'adjustment' ? undefined : id, DAYS[day]!, points, {
      kind,
      ...(terms === null
        ? {}
        : {
            terms: {
              usableOn: dayAt(day + terms.wait),
              expiresOn: dayAt(day + terms.wait + terms.lasts),
              slides: terms.slides,
            },
          }),
    })
  })

test('any entries give an order the same history as one by one', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.constantFrom('o-1', 'o-2', ''), (entries, orderId) => {
      const isOwn = ({ order, kind }: Entry) => order?.id === orderId && kind !== 'reinstated'
      const own = new Map<string, bigint>()
      for (const { day, points } of entries.filter((one) => isOwn(one) && one.kind === 'redemption'))
        own.set(day!, (own.get(day!) ?? 0n) - points)
      const { movements, ...history } = historyOf(orderId, entries)
      assert.deepEqual(history, {
        reinstated: entries.reduce((sum, { kind, points }) => (kind === 'reinstated' ? sum + points : sum), 0n),
        own: [...own].map(([day, points]) => ({ day, points })),
        redemptions: [],
      })
      const others = entries.filter((one) => !isOwn(one)).map(toMovement)
      const view = (all: readonly Movement[]) => balanceOn('2026-06-05', all, [])
      assert.deepEqual(view(movements), view(others))
      const isSpent = ({ spent }: Movement) => spent !== 0n
      const groups = Map.groupBy(others, (one) => JSON.stringify([{ ...one, given: 0, spent: 0 }, isSpent(one)]))
      assert.equal(movements.length, groups.size)
    }),
    { numRuns: 500 },
  )
})
