import assert from 'node:assert/strict'
import test from 'node:test'
import type { Entry } from '../model.ts'
import { NEVER } from '../pending-and-expiry.ts'
import { debitOn, toMovement } from './movement.ts'

test('an entry gives or spends points: redemptions spend, and so do negative adjustments, unless they undo a positive one', () => {
  const entry = { at: '2026-06-01T12:00:00.000Z', day: '2026-06-02' } as const
  const adjustment = { id: 'a', reason: 'r' }
  const cases: [entry: Partial<Entry>, given: bigint, spent: bigint][] = [
    [{ kind: 'order', points: 5n }, 5n, 0n],
    [{ kind: 'order', points: -5n }, -5n, 0n],
    [{ kind: 'referral', points: -5n }, -5n, 0n],
    [{ kind: 'reinstated', points: 5n }, 5n, 0n],
    [{ kind: 'redemption', points: -5n }, 0n, 5n],
    [{ kind: 'redemption', points: 5n }, 0n, -5n],
    [{ kind: 'adjustment', points: 5n, adjustment }, 5n, 0n],
    [{ kind: 'adjustment', points: -5n, adjustment }, 0n, 5n],
    [{ kind: 'adjustment', points: -5n, adjustment: { ...adjustment, undone: true } }, -5n, 0n],
    [{ kind: 'adjustment', points: 5n, adjustment: { ...adjustment, undone: true } }, 0n, -5n],
  ]
  const always = { day: '2026-06-02', usableOn: '2026-06-02', expiresOn: NEVER, slides: false }
  for (const [parts, given, spent] of cases)
    assert.deepEqual(
      toMovement({ ...entry, ...parts } as Entry),
      { ...always, given, spent },
      `${parts.kind} ${parts.points}`,
    )
  // Entries recorded before days were stamped count on their UTC day.
  const old = { kind: 'order', points: 5n, at: entry.at } as Entry
  assert.deepEqual(toMovement(old), { ...always, day: '2026-06-01', usableOn: '2026-06-01', given: 5n, spent: 0n })
  const terms = { usableOn: '2026-06-09', expiresOn: '2026-07-09', slides: true }
  assert.deepEqual(toMovement({ ...old, terms }), { ...terms, day: '2026-06-01', given: 5n, spent: 0n })
  assert.deepEqual(debitOn('2026-06-02', 7n), { ...always, given: 0n, spent: 7n })
})
