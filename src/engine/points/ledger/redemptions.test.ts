import assert from 'node:assert/strict'
import test from 'node:test'
import { accountOf, creditOn, heldOf, NOON, published, redemptionIn } from '../../../../test/support/points.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import { debitOn, type Movement } from '../lots/movement.ts'
import type { Entry, Redemption } from '../model.ts'
import { redemptionKey } from './overlay.ts'
import { type CommandRefusal, REDEEM_REFUSALS, type RedeemCommand, type RedeemKnown, redeem } from './redemptions.ts'

const [MAY, YESTERDAY, TODAY] = ['2026-05-01', '2026-05-31', '2026-06-01']
const rules = {
  value: { points: 1, pays: 1 },
  step: 10,
  least: 20,
  'at-most': { points: 30 },
  when: 'false',
  rewards: [
    { name: 'pot', points: 300 },
    { name: 'cup', points: 15 },
  ],
}
const programWith = (parts: object) => published({ redeem: { ...rules, ...parts } }, 3)
const account = accountOf({ points: 100n, levelPoints: 80n, orders: 2n, entries: 4n, rev: 9n })

/** Asha has 100 points that never expire, and these redemptions. */
const known = (redemptions: readonly Redemption[] = [], parts: Partial<RedeemKnown> = {}): RedeemKnown => ({
  userId: 'asha',
  account,
  history: { movements: [creditOn(MAY, 100n)], own: [], reinstated: 0n, redemptions },
  published: programWith({}),
  programs: [published({ redeem: { ...rules, step: 25 } }, 1), programWith({})],
  by: 't-1',
  now: NOON,
  today: TODAY,
  expiryAssignments: [],
  ...parts,
})
const withMovements = (movements: readonly Movement[], redemptions: readonly Redemption[] = []) => ({
  history: { movements, own: [], reinstated: 0n, redemptions },
})
const spend = (parts: object = {}) =>
  ({ act: 'redeem', id: 'r-1', points: 50n, hold: false, reason: 'checkout', ...parts }) as RedeemCommand
const hold = (parts: object = {}) => spend({ hold: true, ...parts })
const reward = (name: string, parts: object = {}) => spend({ points: undefined, reward: name, ...parts })
const confirm = (points?: bigint): RedeemCommand => ({
  act: 'confirm',
  id: 'r-1',
  ...(points === undefined ? {} : { points }),
})
const voiding: RedeemCommand = { act: 'void', id: 'r-1', reason: 'goods came back' }
const afterLapse = { now: '2026-06-01T12:15:00.000Z' }

const entryOf = (points: bigint, parts: Partial<Entry> = {}): Entry => ({
  ...{ userId: 'asha', seq: 5n, kind: 'redemption', points, counts: false, at: NOON, day: TODAY, bookedDay: TODAY },
  redemption: { id: 'r-1', reason: 'checkout' },
  by: 't-1',
  ...parts,
})
/** What is written: the redemptions, the subject of the command first, and the entries. */
const changed = (redemptions: readonly [Redemption, ...Redemption[]], entries: readonly Entry[] = []) => ({
  done: 'changed',
  redemption: redemptions[0],
  change: {
    accounts: new Map([
      [
        'asha',
        {
          ...account,
          points: entries.reduce((sum, { points }) => sum + points, 100n),
          entries: 4n + BigInt(entries.length),
        },
      ],
    ]),
    orders: new Map(),
    redemptions: new Map(redemptions.map((one) => [redemptionKey(one), one])),
    entries,
  },
})
const unchanged = (redemption: Redemption) => ({
  done: 'unchanged',
  redemption,
  change: { accounts: new Map(), orders: new Map(), entries: [] },
})
const refused = (refusal: CommandRefusal) => ({ refused: refusal })
const short = (most: bigint, available = 100n, held = 0n) => refused({ kind: 'not-enough', most, available, held })
/** A redemption as these commands create it: under version 3, by t-1. */
const made = { program: 3, rev: 0n, by: 't-1' }
const spent = redemptionIn('confirmed')

test('a hold is not an entry: it is written with the account, which stays as it is, and lasts as long as the program says (decision 140)', () => {
  assert.deepEqual(redeem(hold(), known()), changed([heldOf(made)]))
  const twoHours = { published: programWith({ hold: 'PT2H' }) }
  assert.deepEqual(
    redeem(hold({ orderId: 'o-1' }), known([], twoHours)),
    changed([heldOf({ ...made, heldUntil: '2026-06-01T14:00:00.000Z', orderId: 'o-1' })]),
  )
})

test('points that are spent at once are an entry of their own, which does not count for the level (decision 140)', () => {
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

test('a reward costs what the program says, whatever step and least are (decision 140)', () => {
  const cup = { ...made, points: 15n, reward: 'cup' }
  assert.deepEqual(redeem(reward('cup', { hold: true }), known()), changed([heldOf(cup)]))
  assert.deepEqual(redeem(reward('cup'), known()), changed([redemptionIn('confirmed', cup)], [entryOf(-15n)]))
  assert.deepEqual(redeem(reward('pot'), known()), short(100n))
  assert.deepEqual(redeem(reward('cup'), known([], withMovements([creditOn(MAY, 14n)]))), short(14n, 14n))
  assert.deepEqual(redeem(reward('plate'), known()), refused({ kind: 'no-reward' }))
})

test('a redemption without an order follows step and least of the version in effect now; its when and at-most are for orders (decision 140)', () => {
  assert.deepEqual(redeem(spend({ points: 55n }), known()), refused({ kind: 'step', step: 10n }))
  assert.deepEqual(redeem(spend({ points: 10n }), known()), refused({ kind: 'least', least: 20n }))
  assert.deepEqual(redeem(spend(), known([], { published: published() })), refused({ kind: 'no-redeem' }))
})

test('nobody spends what is held, nor more than the overdraft allows, in whole steps (decisions 140 and 141)', () => {
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

test('the same request again changes nothing; the same id with different content is refused, whatever its state (decision 140)', () => {
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

test('a hold is confirmed on the day on which it was made, whatever expires at midnight, in whole or in part (decision 140)', () => {
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

test('a lapsed hold is confirmed like a new one, today, and only if the balance covers it, down to the overdraft (decision 140)', () => {
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

test('confirming again changes nothing, and is refused for another number of points; what is voided or used cannot be confirmed (decision 140)', () => {
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

test('voiding releases a hold without an entry, and gives back what was spent, once; what an order has used is left to the order (decision 140)', () => {
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

test('expired points that are given back are reinstated for as long as the program in effect says, or gone (decision 141)', () => {
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

test('an account never goes below what the wire can carry (decision 34)', () => {
  const owing = { account: accountOf({ points: -WHOLE_MAX + 49n }) }
  assert.deepEqual(redeem(spend(), known([], owing)), refused({ kind: 'too-many-points' }))
  assert('done' in redeem(spend(), known([], { account: accountOf({ points: -WHOLE_MAX + 50n }) })))
})

test('every reason for a refusal is counted from the start', () => {
  const reasons: Record<CommandRefusal['kind'], true> = {
    ...{ 'not-enough': true, step: true, least: true, 'at-most': true, worth: true, when: true, 'no-redeem': true },
    ...{ hold: true, 'other-content': true, 'no-reward': true, 'no-redemption': true, 'too-many-points': true },
    ...{ 'more-than-held': true, 'used-by-order': true, 'is-voided': true, 'is-confirmed': true },
  }
  assert.deepEqual(REDEEM_REFUSALS.toSorted(), Object.keys(reasons).sort())
})
