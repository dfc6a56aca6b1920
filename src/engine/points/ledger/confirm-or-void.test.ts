import assert from 'node:assert/strict'
import test from 'node:test'
import { creditOn, heldOf, NOON, published, redemptionIn } from '../../../../test/support/points.ts'
import {
  afterLapse,
  changed,
  confirm,
  entryOf,
  hold,
  known,
  MAY,
  programWith,
  refused,
  short,
  spend,
  spent,
  TODAY,
  unchanged,
  voiding,
  withMovements,
  YESTERDAY,
} from '../../../../test/support/redemption-commands.ts'
import { debitOn } from '../lots/movement.ts'
import type { Redemption } from '../model.ts'
import { redeem } from './hold-or-redeem.ts'
import type { RedeemCommand } from './redemptions.ts'

test('a hold is confirmed on the day on which it was made, whatever expires at midnight, in whole or in part (decision 139)', () => {
  const held = heldOf({ heldOn: YESTERDAY })
  const endsToday = withMovements([creditOn(MAY, 50n, { expiresOn: TODAY })], [held])
  const done = (points: bigint) =>
    changed([redemptionIn('confirmed', { heldOn: YESTERDAY, points })], [entryOf(-points, { day: YESTERDAY })])
  assert.deepEqual(redeem(confirm(), known([], endsToday)), done(50n))
  assert.deepEqual(redeem(confirm(50n), known([], endsToday)), done(50n))
  // A part follows the step of the hold's own version, 25, and may be below least; a reward is confirmed as a whole.
  assert.deepEqual(redeem(confirm(25n), known([], endsToday)), done(25n))
  assert.deepEqual(redeem(confirm(30n), known([held])), refused({ kind: 'step', step: 25n }))
  assert('done' in redeem(confirm(30n), known([heldOf({ program: 3 })])))
  assert.deepEqual(redeem(confirm(51n), known([held])), refused({ kind: 'more-than-held' }))
  const cup = heldOf({ points: 15n, reward: 'cup' })
  assert.deepEqual(redeem(confirm(10n), known([cup])), refused({ kind: 'step', step: 15n }))
  assert('done' in redeem(confirm(15n), known([cup])))
})

test('a lapsed hold is confirmed like a new one, today, and only if the balance covers it, down to the overdraft (decision 139)', () => {
  const [late, confirmed] = [heldOf({ heldOn: YESTERDAY }), redemptionIn('confirmed')]
  const ofTwo = (now: string) => changed([confirmed], [entryOf(-50n, { at: now })])
  assert.deepEqual(redeem(confirm(), known([late], afterLapse)), ofTwo(afterLapse.now))
  assert.deepEqual(redeem(confirm(), known([redemptionIn('lapsed', { heldOn: YESTERDAY })])), ofTwo(NOON))
  const poor = (parts: object) => known([], { ...afterLapse, ...withMovements([creditOn(MAY, 43n)], [late]), ...parts })
  assert.deepEqual(redeem(confirm(), poor({})), short(43n, 43n))
  assert('done' in redeem(confirm(25n), poor({})))
  assert('done' in redeem(confirm(), poor({ published: programWith({ overdraft: 7 }) })))
  assert.deepEqual(redeem(confirm(), poor({ published: programWith({ overdraft: 6 }) })), short(49n, 43n))
})

test('holds can still be confirmed after a program has lost redeem, without an overdraft (decision 154)', () => {
  const without = { published: published({}, 4), programs: [published({}, 1)] }
  assert('done' in redeem(confirm(7n), known([heldOf()], without)))
  assert('done' in redeem(confirm(7n), known([heldOf()], { ...without, programs: [] })))
  assert('done' in redeem(confirm(), known([heldOf({ points: 100n })], { ...without, ...afterLapse })))
  assert.deepEqual(redeem(confirm(), known([heldOf({ points: 101n })], { ...without, ...afterLapse })), short(100n))
})

test('confirming again changes nothing, and is refused for another number of points; what is voided or used cannot be confirmed (decision 139)', () => {
  const other = heldOf({ id: 'r-0', points: 30n })
  const confirmIn = (found: Redemption, points?: bigint) => redeem(confirm(points), known([other, found]))
  assert.deepEqual(confirmIn(spent), unchanged(spent))
  assert.deepEqual(confirmIn(spent, 50n), unchanged(spent))
  assert.deepEqual(confirmIn(spent, 25n), refused({ kind: 'is-confirmed', free: 70n }))
  assert.deepEqual(confirmIn(redemptionIn('voided')), refused({ kind: 'is-voided', free: 70n }))
  assert.deepEqual(
    confirmIn(redemptionIn('used', { orderId: 'o-1' })),
    refused({ kind: 'used-by-order', orderId: 'o-1', free: 70n }),
  )
  for (const act of [confirm(), voiding])
    assert.deepEqual(redeem(act, known([other])), refused({ kind: 'no-redemption' }))
})

test('voiding releases a hold without an entry, and gives back what was spent, once; what an order has used is left to the order (decision 139)', () => {
  const voided = redemptionIn('voided')
  assert.deepEqual(redeem(voiding, known([heldOf()])), changed([voided]))
  assert.deepEqual(redeem(voiding, known([heldOf()], afterLapse)), changed([voided]))
  assert.deepEqual(redeem(voiding, known([redemptionIn('lapsed')])), changed([voided]))
  assert.deepEqual(redeem(voiding, known([voided])), unchanged(voided))
  const used = redemptionIn('used', { orderId: 'o-1' })
  assert.deepEqual(redeem(voiding, known([used])), refused({ kind: 'used-by-order', orderId: 'o-1', free: 100n }))
  // The points return on the day on which they were spent, and so to their lots. The voiding has a reason of its own.
  const before = redemptionIn('confirmed', { heldOn: MAY })
  const back = entryOf(50n, { day: MAY, redemption: { id: 'r-1', reason: 'goods came back' } })
  assert.deepEqual(redeem(voiding, known([before])), changed([redemptionIn('voided', { heldOn: MAY })], [back]))
})

test('a part can be voided, by the step, and the rest stays held or spent; the same part again, known by its reason, changes nothing (decision 139)', () => {
  const part = (points: bigint, reason = 'one came back') => ({ ...voiding, points, reason }) as RedeemCommand
  const with30 = (parts: Partial<Redemption>) => redemptionIn('confirmed', { program: 3, ...parts })
  const parts = [{ points: 20n, reason: 'one came back' }]
  const back = entryOf(20n, { redemption: { id: 'r-1', reason: 'one came back' } })
  const [before, left] = [with30({ points: 50n }), with30({ points: 30n, voidedParts: parts })]
  assert.deepEqual(redeem(part(20n), known([before])), changed([left], [back]))
  assert.deepEqual(redeem(part(20n), known([left])), unchanged(left))
  assert.deepEqual(redeem(part(10n), known([left])), refused({ kind: 'other-content' }))
  const both = [...parts, { points: 20n, reason: 'another' }]
  assert.deepEqual(
    redeem(part(20n, 'another'), known([left])),
    changed(
      [with30({ points: 10n, voidedParts: both })],
      [entryOf(20n, { redemption: { id: 'r-1', reason: 'another' } })],
    ),
  )
  assert.deepEqual(redeem(part(15n, 'half a step'), known([left])), refused({ kind: 'step', step: 10n }))
  assert.deepEqual(redeem(part(40n, 'too many'), known([left])), refused({ kind: 'more-than-held' }))

  const all = { ...left, state: 'voided' } as Redemption
  const rest = entryOf(30n, { redemption: { id: 'r-1', reason: 'the rest' } })
  assert.deepEqual(redeem(part(30n, 'the rest'), known([left])), changed([all], [rest]))
  assert.deepEqual(redeem({ ...voiding, reason: 'the rest' } as RedeemCommand, known([left])), changed([all], [rest]))
  for (const again of [part(30n, 'the rest'), part(20n), voiding])
    assert.deepEqual(redeem(again, known([all])), unchanged(all))
  assert.deepEqual(redeem(part(10n, 'more'), known([all])), refused({ kind: 'is-voided', free: 100n }))

  const held = heldOf({ points: 50n, program: 3 })
  assert.deepEqual(redeem(part(20n), known([held])), changed([{ ...held, points: 30n, voidedParts: parts }]))
  const cup = with30({ points: 15n, reward: 'cup' })
  assert.deepEqual(redeem(part(5n), known([cup])), refused({ kind: 'step', step: 15n }))
  const many = Array.from({ length: 100 }, (_, n) => ({ points: 10n, reason: `return ${n}` }))
  const crowded = with30({ points: 30n, voidedParts: many })
  assert.deepEqual(redeem(part(10n), known([crowded])), refused({ kind: 'too-many-parts' }))
  assert.deepEqual(redeem(part(30n, 'the rest'), known([crowded])), changed([{ ...crowded, state: 'voided' }], [rest]))
})

test('redeeming and confirming can be repeated after a part was voided, with the points that there were (decision 139)', () => {
  const voidedParts = [
    { points: 100n, reason: 'of the hold' },
    { points: 20n, reason: 'one came back' },
  ]
  const left = redemptionIn('confirmed', { points: 30n, voidedParts })
  for (const points of [30n, 50n, 150n]) assert.deepEqual(redeem(confirm(points), known([left])), unchanged(left))
  assert.deepEqual(redeem(confirm(40n), known([left])), refused({ kind: 'is-confirmed', free: 100n }))
  assert.deepEqual(redeem(hold({ points: 150n }), known([left])), unchanged(left))
  const spentOnce = { ...left, voidedParts: voidedParts.slice(1) }
  assert.deepEqual(redeem(spend({ points: 50n }), known([spentOnce])), unchanged(spentOnce))
  assert.deepEqual(redeem(spend({ points: 30n }), known([spentOnce])), refused({ kind: 'other-content' }))
})

test('expired points that are given back are reinstated for as long as the program in effect says, or gone (decision 139)', () => {
  const before = redemptionIn('confirmed', { heldOn: MAY })
  const ended = withMovements(
    [creditOn(MAY, 40n, { expiresOn: TODAY }), creditOn(MAY, 100n), debitOn(MAY, 50n)],
    [before],
  )
  const voided = redemptionIn('voided', { heldOn: MAY })
  const back = entryOf(50n, { day: MAY, redemption: { id: 'r-1', reason: 'goods came back' } })
  const terms = { usableOn: TODAY, expiresOn: '2026-07-01', slides: false }
  assert.deepEqual(
    redeem(voiding, known([], { ...ended, published: programWith({ 'given-back': 'P30D' }) })),
    changed([voided], [back, { ...back, kind: 'reinstated', points: 40n, day: TODAY, terms, seq: 6n }]),
  )
  // Other holds count as spent, as for orders: they would have drawn on the points that expired.
  const held = heldOf({ id: 'r-2', points: 30n, heldOn: YESTERDAY })
  const beside = withMovements(ended.history.movements, [before, held])
  assert.deepEqual(
    redeem(voiding, known([], { ...beside, published: programWith({ 'given-back': 'P30D' }) })),
    changed([voided], [back, { ...back, kind: 'reinstated', points: 10n, day: TODAY, terms, seq: 6n }]),
  )
  assert.deepEqual(redeem(voiding, known([], ended)), changed([voided], [back]))
  assert.deepEqual(redeem(voiding, known([], { ...ended, published: published() })), changed([voided], [back]))
})
