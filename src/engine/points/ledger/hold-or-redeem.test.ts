import assert from 'node:assert/strict'
import test from 'node:test'
import { creditOn, heldOf, published, redemptionIn } from '../../../../test/support/points.ts'
import {
  changed,
  entryOf,
  hold,
  known,
  MAY,
  made,
  programWith,
  refused,
  reward,
  rules,
  short,
  spend,
  spent,
  TODAY,
  unchanged,
  withMovements,
} from '../../../../test/support/redemption-commands.ts'
import type { Redemption } from '../model.ts'
import { redeem } from './hold-or-redeem.ts'
import type { RedeemCommand } from './redemptions.ts'

test('a hold is not an entry: it is written with the account, which stays as it is, and lasts as long as the program says (decision 139)', () => {
  assert.deepEqual(redeem(hold(), known()), changed([heldOf(made)]))
  const twoHours = { published: programWith({ hold: 'PT2H' }) }
  assert.deepEqual(
    redeem(hold({ orderId: 'o-1' }), known([], twoHours)),
    changed([heldOf({ ...made, heldUntil: '2026-06-01T14:00:00.000Z', orderId: 'o-1' })]),
  )
})

test('points that are spent at once are an entry of their own, which does not count for the level (decision 139)', () => {
  assert.deepEqual(redeem(spend(), known()), changed([redemptionIn('confirmed', made)], [entryOf(-50n)]))
})

test('spending extends sliding expiries: its entry says until when (decision 138)', () => {
  const sliding = published({ redeem: rules, points: { expire: { inactive: 'P1M' } } }, 3)
  const terms = { usableOn: TODAY, expiresOn: '2026-07-01', slides: true }
  assert.deepEqual(
    redeem(spend(), known([], { published: sliding })),
    changed([redemptionIn('confirmed', made)], [entryOf(-50n, { terms })]),
  )
})

test('a reward costs what the program says, whatever step and least are (decision 139)', () => {
  const cup = { ...made, points: 15n, reward: 'cup' }
  assert.deepEqual(redeem(reward('cup', { hold: true }), known()), changed([heldOf(cup)]))
  assert.deepEqual(redeem(reward('cup'), known()), changed([redemptionIn('confirmed', cup)], [entryOf(-15n)]))
  assert.deepEqual(redeem(reward('pot'), known()), short(100n))
  assert.deepEqual(redeem(reward('cup'), known([], withMovements([creditOn(MAY, 14n)]))), short(14n, 14n))
  assert.deepEqual(redeem(reward('plate'), known()), refused({ kind: 'no-reward' }))
})

test('a redemption without an order follows step and least of the version in effect now; its when and at-most are for orders (decision 139)', () => {
  assert.deepEqual(redeem(spend({ points: 55n }), known()), refused({ kind: 'step', step: 10n }))
  assert.deepEqual(redeem(spend({ points: 10n }), known()), refused({ kind: 'least', least: 20n }))
  assert.deepEqual(redeem(spend(), known([], { published: published() })), refused({ kind: 'no-redeem' }))
})

test('nobody spends what is held, nor more than the overdraft allows, in whole steps (decision 139)', () => {
  const held = [heldOf({ id: 'r-0', points: 15n })]
  for (const act of [spend, hold]) {
    assert.deepEqual(redeem(act({ points: 90n }), known(held)), short(80n, 100n, 15n))
    assert.deepEqual(
      redeem(act({ points: 120n }), known([], { published: programWith({ overdraft: 19 }) })),
      short(110n),
    )
    assert('done' in redeem(act({ points: 110n }), known([], { published: programWith({ overdraft: 10 }) })))
  }
})

test('the points of a lapsed hold are free again, and spending them marks the hold as lapsed for good (decision 154)', () => {
  const lapsed = heldOf({ id: 'r-0', points: 100n })
  const marked = redemptionIn('lapsed', { id: 'r-0', points: 100n })
  const now = '2026-06-01T12:15:00.000Z'
  const late = { ...made, createdAt: now }
  assert.deepEqual(
    redeem(hold(), known([lapsed], { now })),
    changed([heldOf({ ...late, heldUntil: '2026-06-01T12:30:00.000Z' }), marked]),
  )
  assert.deepEqual(
    redeem(spend(), known([lapsed], { now })),
    changed([redemptionIn('confirmed', late), marked], [entryOf(-50n, { at: now })]),
  )
})

test('the same request again changes nothing; the same id with different content is refused, whatever its state (decision 139)', () => {
  const part = redemptionIn('confirmed', { points: 40n })
  const cup = heldOf({ points: 15n, reward: 'cup' })
  const more = redemptionIn('used', { points: 80n, orderId: 'o-1' })
  const cases: [command: RedeemCommand, found: Redemption, isSame: boolean][] = [
    [hold(), heldOf(), true],
    [hold(), redemptionIn('lapsed'), true],
    [hold(), redemptionIn('voided'), true],
    [hold({ reason: 'other' }), heldOf(), false],
    [hold({ points: 60n }), heldOf(), false],
    [hold({ points: 60n }), redemptionIn('lapsed'), false],
    [hold({ orderId: 'o-1' }), heldOf({ orderId: 'o-1' }), true],
    [hold(), heldOf({ orderId: 'o-1' }), true],
    [hold({ orderId: 'o-2' }), heldOf({ orderId: 'o-1' }), false],
    [hold({ orderId: 'o-2' }), heldOf(), false],
    [hold({ points: undefined, reward: 'cup' }), cup, true],
    [hold({ points: undefined, reward: 'pot' }), cup, false],
    [hold({ points: 15n }), cup, false],
    // A confirmed or voided hold was for at least as many points; an order may redeem more.
    [hold(), part, true],
    [hold(), { ...part, state: 'voided' }, true],
    [hold({ points: 30n }), part, false],
    [hold({ points: 30n }), { ...part, state: 'voided' }, false],
    [hold(), more, true],
    // A direct spend keeps the points asked for, and never was a hold.
    [spend(), spent, true],
    [spend(), redemptionIn('voided'), true],
    [spend({ points: 60n }), spent, false],
    [spend({ points: 40n }), spent, false],
    [spend(), part, false],
    [spend(), more, false],
    [spend(), heldOf(), false],
    [spend(), redemptionIn('lapsed'), false],
  ]
  for (const [command, found, isSame] of cases)
    assert.deepEqual(
      redeem(command, known([heldOf({ id: 'r-0' }), found])),
      isSame ? unchanged(found) : refused({ kind: 'other-content' }),
      `${JSON.stringify(command, (_, value) => String(value))} ${found.state}`,
    )
})
