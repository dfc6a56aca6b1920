import assert from 'node:assert/strict'
import test from 'node:test'
import { creditOn, heldOf, NOON, programOf, redemptionIn } from '../../../../test/support/points.ts'
import { debitOn, type Movement } from '../lots/movement.ts'
import type { Redemption } from '../model.ts'
import type { ExpiryAssignment } from '../pending-and-expiry.ts'
import {
  type BalanceView,
  freePoints,
  mostOnEveryDay,
  refusalOfDebit,
  refusalOfReinstated,
  reinstatement,
} from './debits.ts'

const [MAY, TODAY, TOMORROW] = ['2026-05-01', '2026-06-01', '2026-06-02']
const view: BalanceView = { now: NOON, today: TODAY, expiryAssignments: [] }
const { redeem } = programOf({ redeem: { value: { points: 1, pays: 1 }, 'given-back': 'P30D' } })
/** On 2 May points without an expiry are assigned one, 30 days later. */
const expiryAssignments: ExpiryAssignment[] = [
  { on: '2026-05-02', expiry: { after: { days: 30 }, atEndOf: 'day', slides: false } },
]
const untilTomorrow = creditOn(MAY, 100n, { expiresOn: TOMORROW })
const accountWith = (movements: readonly Movement[], redemptions: readonly Redemption[] = []) => ({
  movements,
  redemptions,
})
const short = (most: bigint, available: bigint, held: bigint) => ({ kind: 'not-enough', most, available, held })

test('a debit may overdraw the balance by up to the overdraft; held points cannot be spent, released ones can (decision 139)', () => {
  const account = accountWith([creditOn(MAY, 100n)], [heldOf({ points: 30n }), redemptionIn('lapsed', { id: 'r-2' })])
  const owing = accountWith([...account.movements, debitOn(MAY, 130n)], account.redemptions)
  const cases: [known: typeof account, points: bigint, overdraft: bigint, step: bigint, refusal: object | undefined][] =
    [
      [account, 70n, 0n, 1n, undefined],
      [account, 71n, 0n, 1n, short(70n, 100n, 30n)],
      [account, 75n, 5n, 1n, undefined],
      [account, 76n, 5n, 1n, short(75n, 100n, 30n)],
      [account, 76n, 5n, 10n, short(70n, 100n, 30n)],
      [owing, 40n, 100n, 1n, undefined],
      [owing, 41n, 100n, 1n, short(40n, -30n, 30n)],
      [owing, 1n, 60n, 1n, short(0n, -30n, 30n)],
      [owing, 1n, 0n, 1n, short(0n, -30n, 30n)],
    ]
  for (const [known, points, overdraft, step, refusal] of cases)
    assert.deepEqual(refusalOfDebit(known, debitOn(TODAY, points), view, { overdraft, step }), refusal, `${points}`)
})

test('points must be available on the latest of today and every day on which points are spent or held (decisions 139 and 154)', () => {
  const rules = { overdraft: 0n, step: 1n }
  const ask = (debit: Movement, known = accountWith([untilTomorrow]), parts: Partial<BalanceView> = {}) =>
    refusalOfDebit(known, debit, { ...view, ...parts }, rules)
  assert.equal(ask(debitOn(TODAY, 100n)), undefined)
  assert.deepEqual(ask(debitOn(TOMORROW, 1n)), short(0n, 0n, 0n))
  assert.deepEqual(ask(debitOn(TODAY, 101n), undefined, { today: TOMORROW }), short(0n, 0n, 0n))
  const spentTomorrow = [untilTomorrow, creditOn(TOMORROW, 5n), debitOn(TOMORROW, 1n)]
  assert.deepEqual(ask(debitOn(TODAY, 105n), accountWith(spentTomorrow)), short(4n, 4n, 0n))
  const heldTomorrow = accountWith([untilTomorrow, creditOn(TOMORROW, 5n)], [heldOf({ heldOn: TOMORROW, points: 2n })])
  assert.deepEqual(ask(debitOn(TODAY, 105n), heldTomorrow), short(3n, 5n, 2n))
  // Drawn on the day on which they were held, points do not expire at midnight.
  assert.equal(ask(debitOn(TODAY, 100n), accountWith([untilTomorrow]), { today: TOMORROW }), undefined)
})

test('an order may redeem what was there on every day from its own to the latest of today and the days of spending and holds (decision 139)', () => {
  const most = (day: string, known: ReturnType<typeof accountWith>, parts: Partial<BalanceView> = {}, rules = {}) =>
    mostOnEveryDay({ reinstated: 0n, ...known }, day, { ...view, ...parts }, { overdraft: 0n, step: 1n, ...rules })
  const fewer = (points: bigint, available: bigint, held = 0n) => ({
    ...short(points, available, held),
    why: 'fewer-on-a-day',
  })
  // Neither what a past day had and today does not have, nor what today has and a day before did not have.
  assert.deepEqual(most(TODAY, accountWith([untilTomorrow])), short(100n, 100n, 0n))
  assert.deepEqual(most(TODAY, accountWith([untilTomorrow]), { today: TOMORROW }), short(0n, 0n, 0n))
  assert.deepEqual(most('2026-04-01', accountWith([creditOn(MAY, 50n)])), fewer(0n, 50n))
  const dip = [creditOn(MAY, 50n), debitOn('2026-05-20', 45n), creditOn(TODAY, 100n)]
  assert.deepEqual(most(MAY, accountWith(dip)), fewer(5n, 105n))
  assert.deepEqual(most(MAY, accountWith(dip), {}, { overdraft: 8n, step: 10n }), fewer(10n, 105n))
  assert.deepEqual(most(TODAY, accountWith(dip)), short(105n, 105n, 0n))
  const held = accountWith(dip, [heldOf({ heldOn: '2026-05-21', points: 2n })])
  assert.deepEqual(most(MAY, held), fewer(3n, 105n, 2n))
})

test('points that were assigned an expiry by a later version cannot be spent after it (decision 138)', () => {
  const known = accountWith([creditOn(MAY, 100n)])
  const ask = (today: string) =>
    refusalOfDebit(known, debitOn(today, 1n), { ...view, today, expiryAssignments }, { overdraft: 0n, step: 1n })
  assert.deepEqual([ask('2026-05-31'), ask(TODAY)], [undefined, short(0n, 0n, 0n)])
})

test('free points are the available ones without those held, and negative where points are owed', () => {
  const free = (movements: readonly Movement[], redemptions: readonly Redemption[], parts: Partial<BalanceView> = {}) =>
    freePoints(accountWith(movements, redemptions), { ...view, ...parts })
  assert.equal(free([untilTomorrow], [heldOf({ points: 30n })]), 70n)
  assert.equal(free([untilTomorrow], [heldOf({ points: 130n })]), -30n)
  assert.equal(free([untilTomorrow], [heldOf({ points: 30n })], { now: '2026-06-01T12:15:00.000Z' }), 100n)
  assert.equal(free([untilTomorrow], [], { today: TOMORROW }), 0n)
  assert.equal(free([untilTomorrow, creditOn(TOMORROW, 5n)], [heldOf({ points: 1n, heldOn: TOMORROW })]), 4n)
  assert.equal(free([creditOn(MAY, 100n)], [], { expiryAssignments }), 0n)
})

test('points that are given back and have expired in the meantime are reinstated for as long as the program says (decision 139)', () => {
  const ending = creditOn(MAY, 40n, { expiresOn: TODAY })
  const movements = [ending, creditOn(MAY, 100n)]
  const given = (points: bigint, day: string, expiresOn: string) => ({
    points,
    day,
    terms: { usableOn: day, expiresOn, slides: false },
  })
  const ask = (after: bigint, known: readonly Movement[] = movements, parts: Partial<BalanceView> = {}) =>
    reinstatement(
      { movements: known, redemptions: [] },
      { day: MAY, before: 60n, after },
      { ...view, ...parts },
      redeem!,
    )
  // The 40 that expired today and 20 others were spent; the 20 are back in their lot.
  assert.deepEqual(ask(0n), given(40n, TODAY, '2026-07-01'))
  assert.deepEqual(ask(30n), given(10n, TODAY, '2026-07-01'))
  assert.equal(ask(45n), undefined)
  assert.equal(ask(0n, movements, { today: '2026-05-31' }), undefined)
  assert.deepEqual(ask(0n, [creditOn(MAY, 100n)], { expiryAssignments }), given(60n, TODAY, '2026-07-01'))
  const early = { today: '2026-05-31' }
  assert.deepEqual(ask(0n, [...movements, debitOn(TOMORROW, 1n)], early), given(40n, TOMORROW, '2026-07-02'))
})

test('without given-back, expired points are gone (decision 139)', () => {
  const { redeem: rules } = programOf({ redeem: { value: { points: 1, pays: 1 } } })
  const ending = creditOn(MAY, 60n, { expiresOn: TODAY })
  assert.equal(
    reinstatement({ movements: [ending], redemptions: [] }, { day: MAY, before: 60n, after: 0n }, view, rules!),
    undefined,
  )
})

test('a debit on a past day leaves as many points expired as were reinstated (decision 139)', () => {
  const movements = [
    creditOn(MAY, 40n, { expiresOn: TODAY }),
    creditOn(TODAY, 40n, { usableOn: TODAY, expiresOn: TOMORROW }),
  ]
  const redemptions = [heldOf({ points: 5n, heldOn: TODAY })]
  const ask = (points: bigint, reinstated: bigint, day = MAY, parts: Partial<BalanceView> = {}) =>
    refusalOfReinstated(
      { movements, redemptions, reinstated },
      debitOn(day, points),
      { ...view, ...parts },
      { step: 10n },
    )
  const refused = (most: bigint) => ({ kind: 'not-enough', most, available: 40n, held: 5n, why: 'expired-since' })
  assert.equal(ask(40n, 0n), undefined)
  assert.equal(ask(15n, 25n), undefined)
  assert.deepEqual(ask(16n, 25n), refused(10n))
  assert.deepEqual(ask(1n, 40n), refused(0n))
  assert.deepEqual(ask(1n, 50n), refused(0n))
  // If fewer are expired now, because the order that earned them was returned, what draws on none of them is still accepted.
  const [, living] = movements
  const leftOf = (given: readonly Movement[], debit: Movement) =>
    refusalOfReinstated({ movements: given, redemptions: [], reinstated: 40n }, debit, view, { step: 10n })
  assert.equal(leftOf([living!], debitOn(TODAY, 40n)), undefined)
  assert.equal(leftOf([creditOn(MAY, 5n, { expiresOn: TODAY }), living!], debitOn(TODAY, 40n)), undefined)
  assert.deepEqual(leftOf([creditOn(MAY, 5n, { expiresOn: TODAY }), living!], debitOn(MAY, 1n)), {
    ...refused(0n),
    held: 0n,
  })
  // A clock that is behind sees the day of the debit.
  assert.equal(ask(1n, 40n, TODAY, { today: MAY }), undefined)
})
