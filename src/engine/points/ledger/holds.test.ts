import assert from 'node:assert/strict'
import test from 'node:test'
import { heldOf, NOON, redemptionIn } from '../../../../test/support/points.ts'
import { debitOn } from '../lots/movement.ts'
import { REDEMPTION_STATES } from '../model.ts'
import { hasLapsed, heldMovements, isActiveHold, lapsedHoldsBeside, sumSpent } from './holds.ts'

const END = '2026-06-01T12:15:00.000Z'

test('a hold lasts until its moment, and lapses without any write (decision 139)', () => {
  const seen = (now: string) => [isActiveHold(heldOf(), now), hasLapsed(heldOf(), now)]
  assert.deepEqual(seen('2026-06-01T12:14:59.999Z'), [true, false])
  assert.deepEqual(seen(END), [false, true])
})

test('a redemption that was confirmed, used, voided, or has lapsed for good holds nothing, whatever the clock says (decision 154)', () => {
  for (const state of REDEMPTION_STATES.filter((one) => one !== 'held'))
    for (const one of [redemptionIn(state), heldOf({ state })])
      assert.deepEqual([isActiveHold(one, NOON), hasLapsed(one, NOON)], [false, state === 'lapsed'], state)
})

test('held points are spent on the days of the holds', () => {
  const holds = [heldOf(), heldOf({ id: 'r-2', points: 7n, heldOn: '2026-05-31' }), redemptionIn('used')]
  const held = [debitOn('2026-06-01', 50n), debitOn('2026-05-31', 7n)]
  assert.deepEqual(heldMovements(holds, NOON), held)
  assert.deepEqual(heldMovements(holds, END), [])
  assert.deepEqual([sumSpent(held), sumSpent([])], [57n, 0n])
})

test('spending points marks the other holds that have lapsed by now: for every clock, and for good (decision 154)', () => {
  const redemptions = [
    heldOf(),
    heldOf({ id: 'r-2' }),
    heldOf({ id: 'r-3', heldUntil: '2026-06-01T12:15:00.001Z' }),
    redemptionIn('lapsed', { id: 'r-4' }),
    redemptionIn('confirmed', { id: 'r-5' }),
  ]
  assert.deepEqual(lapsedHoldsBeside('r-1', { redemptions }, END), [redemptionIn('lapsed', { id: 'r-2' })])
  assert.deepEqual(lapsedHoldsBeside('r-1', { redemptions }, NOON), [])
})
