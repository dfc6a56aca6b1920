import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { creditOn } from '../../../../test/support/points.ts'
import { balanceOn } from '../lots/balance.ts'
import { debitOn, type Movement, movementOf } from '../lots/movement.ts'
import type { Entry } from '../model.ts'
import { addToSums, createEntrySums, sumReinstated, withEntries } from './entry-sums.ts'
import { createOverlay } from './overlay.ts'
import type { PlayerHistory } from './snapshot.ts'

const DAYS = ['2026-06-01', '2026-06-02', '2026-06-03', '2026-06-04', '2026-06-05'] as const
const NOTHING: PlayerHistory = { movements: [], reinstated: 0n, own: [], redemptions: [] }

function historyOf(orderId: string, entries: readonly Entry[], stored = NOTHING): PlayerHistory {
  const sums = createEntrySums()
  for (const entry of entries) addToSums(sums, entry)
  return withEntries(stored, { userId: 'asha', orderId, redemptionId: '' }, sums, createOverlay())
}

const entryOf = (id: string | undefined, day: string, points: bigint, parts: Partial<Entry> = {}): Entry => ({
  ...{ userId: 'asha', seq: 1n, kind: 'order', points, counts: true, at: `${day}T12:00:00.000Z`, day },
  ...(id === undefined ? {} : { order: { id, revision: 1n, program: 1 } }),
  ...parts,
})

test('entries of one day, terms and direction are one movement, however many there are', () => {
  const terms = { usableOn: DAYS[1], expiresOn: DAYS[4], slides: false }
  const entries = Array.from({ length: 100 }, (_, place) => [
    entryOf(`o-${place}`, DAYS[0], 10n),
    entryOf(`o-${place}`, DAYS[0], 5n, { terms }),
    entryOf(`o-${place}`, DAYS[0], -2n, { kind: 'redemption' }),
  ]).flat()
  const stored = { ...NOTHING, movements: [creditOn(DAYS[0], 7n)] }
  assert.deepEqual(historyOf('', entries, stored).movements, [
    creditOn(DAYS[0], 7n),
    creditOn(DAYS[0], 1_000n),
    { ...terms, day: DAYS[0], given: 500n, spent: 0n },
    debitOn(DAYS[0], 200n),
  ])
  assert.deepEqual(historyOf('o-7', entries, stored), {
    ...stored,
    movements: [
      creditOn(DAYS[0], 7n),
      creditOn(DAYS[0], 990n),
      { ...terms, day: DAYS[0], given: 495n, spent: 0n },
      debitOn(DAYS[0], 198n),
    ],
    own: [{ day: DAYS[0], points: 2n }],
  })
})

test('an order that has given back all its points has spent 0 on their day', () => {
  const entries = [-30n, 30n].map((points) => entryOf('o-1', DAYS[0], points, { kind: 'redemption' }))
  assert.deepEqual(historyOf('o-1', entries), { ...NOTHING, own: [{ day: DAYS[0], points: 0n }] })
  const stored = { ...NOTHING, own: [{ day: DAYS[0], points: 5n }] }
  assert.deepEqual(historyOf('o-1', entries.slice(1), stored).own, [{ day: DAYS[0], points: -25n }])
})

test('an order that gave and took back points has still extended expiries that slide', () => {
  const terms = { usableOn: DAYS[0], expiresOn: DAYS[3], slides: true }
  const entries = [9n, -9n].map((points) => entryOf('o-1', DAYS[0], points, { terms }))
  assert.deepEqual(historyOf('o-2', entries).movements, [{ ...terms, day: DAYS[0], given: 0n, spent: 0n }])
  assert.deepEqual(historyOf('o-1', entries).movements, [])
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
        ...{ reinstated: sumReinstated(entries), redemptions: [] },
        own: [...own].map(([day, points]) => ({ day, points })),
      })
      const others = entries.filter((one) => !isOwn(one)).map(movementOf)
      const view = (all: readonly Movement[]) => balanceOn('2026-06-05', all, [])
      assert.deepEqual(view(movements), view(others))
      const isSpent = ({ spent }: Movement) => spent !== 0n
      const groups = Map.groupBy(others, (one) => JSON.stringify([{ ...one, given: 0, spent: 0 }, isSpent(one)]))
      assert.equal(movements.length, groups.size)
    }),
    { numRuns: 500 },
  )
})
