import assert from 'node:assert/strict'
import test from 'node:test'
import {
  accountOf,
  creditOn,
  heldOf,
  NOON,
  orderOf,
  published,
  recordedOf,
  responseTo,
  snapshotOf,
} from '../../../../test/support/points.ts'
import { WHOLE_MAX } from '../arithmetic.ts'
import { type SentOrder, UNKNOWN_PLAYER } from '../model.ts'
import { type Evaluation, evaluateOrder, mergeOrderState } from './evaluate-order.ts'
import { UnknownVersion } from './recompute.ts'
import type { Snapshot } from './snapshot.ts'
import { createWorkingLedger } from './working-ledger.ts'

const NOW = '2026-06-09T00:00:00.000Z'
const { at: _, ...withoutMoment } = orderOf()
const whole = (points: bigint) => points * 10_000n

function evaluate(sent: SentOrder, snapshot: Partial<Snapshot> = {}, programs = [published()]) {
  return evaluateOrder(sent, createWorkingLedger(snapshotOf(snapshot)), programs, NOW)
}
function evaluated(...args: Parameters<typeof evaluate>): Evaluation {
  const evaluation = evaluate(...args)
  assert('prediction' in evaluation, 'refused' in evaluation ? String(evaluation.refused) : '')
  return evaluation
}

test('a new order is evaluated with what is known now', () => {
  const {
    order,
    recorded,
    facts,
    published: program,
    prediction,
    postings,
  } = evaluated(orderOf(), {
    accounts: new Map([['asha', accountOf({ points: 9n, levelPoints: 60n, orders: 1n })]]),
  })
  assert.deepEqual([order, recorded, program.version, facts.program], [orderOf(), undefined, 1, 1])
  assert.deepEqual([facts.player.points, facts.player.levelPoints, facts.player.orders], [9n, 60n, 1n])
  assert.deepEqual([prediction.points, prediction.level.levelPoints, prediction.level.after], [100n, 160n, 'Silver'])
  assert.deepEqual(postings, [{ userId: 'asha', kind: 'order', points: 100n, counts: true, at: NOON }])
})

test('an order without a moment keeps the recorded one, else takes that of its arrival', () => {
  const orders = new Map([['o-1', recordedOf()]])
  const sent = orderOf({ at: '2026-06-03T00:00:00.000Z' })
  assert.equal(evaluated(withoutMoment).order.at, NOW)
  assert.equal(evaluated(withoutMoment, { orders }).order.at, NOON)
  assert.equal(evaluated(sent).order.at, sent.at)
  assert.equal(evaluated(sent, { orders }).order.at, sent.at)
})

test('an order of another player is refused, whether it is stored or was recorded in the same batch', () => {
  const refused = { refused: 'other-player' }
  assert.deepEqual(evaluate(orderOf(), { orders: new Map([['o-1', { ownerId: 'ben' }]]) }), refused)
  const bens = recordedOf({ order: orderOf({ userId: 'ben' }) })
  assert.deepEqual(evaluate(orderOf(), { orders: new Map([['o-1', bens]]) }), refused)
})

test('a new order takes the program in effect at its moment; where there is none it is refused', () => {
  const programs = [published({}, 1, '2026-01-01T00:00:00.000Z'), published({}, 2, '2026-06-05T00:00:00.000Z')]
  const versionAt = (at: string) => evaluated(orderOf({ at }), {}, programs).published.version
  assert.deepEqual([versionAt('2026-06-04T23:59:59.999Z'), versionAt('2026-06-05T00:00:00.000Z')], [1, 2])
  assert.deepEqual(evaluate(orderOf({ at: '2025-12-31T23:59:59.999Z' }), {}, programs), { refused: 'no-program' })
})

test('a recorded order keeps the program of its first recording, which may be unknown here', () => {
  const programs = [published({}, 1), published({}, 2, '2026-01-01T00:00:00.000Z')]
  const snapshot = { orders: new Map([['o-1', recordedOf()]]) }
  assert.equal(evaluated(orderOf(), snapshot, programs).published.version, 1)
  assert.throws(() => evaluate(orderOf(), snapshot, programs.slice(1)), UnknownVersion)
})

test('the level before an order excludes what the order gave, and a fall is reported (decision 30)', () => {
  const snapshot = {
    accounts: new Map([['asha', accountOf({ points: 160n, levelPoints: 160n })]]),
    orders: new Map([['o-1', recordedOf({ points: 100n })]]),
  }
  const { prediction, facts } = evaluated(orderOf({ total: whole(10n) }), snapshot)
  const { before, after, levelPoints, lowered } = prediction.level
  assert.deepEqual([before, after, levelPoints, lowered], ['Bronze', 'Bronze', 70n, true])
  // The facts stay those of the first recording.
  assert.equal(facts.player, UNKNOWN_PLAYER)
  assert.equal(evaluated(orderOf(), { accounts: snapshot.accounts }).prediction.level.lowered, false)
})

const yearly = published({ levels: { counts: { window: 'P12M' }, ladder: [{ name: 'Bronze', from: 0 }] } })
const window = { userId: 'asha', orderId: 'o-1', from: '2025-06-01T12:00:00.000Z', to: NOON }

test('with a window, the points that count are looked up for the months before the order, without the order itself', () => {
  const ledger = createWorkingLedger(snapshotOf({ accounts: new Map([['asha', accountOf({ levelPoints: 999n })]]) }))
  const evaluation = evaluateOrder(orderOf(), ledger, [yearly], NOW)
  assert('prediction' in evaluation)
  assert.equal(evaluation.prediction.level.levelPoints, 100n)
  assert.deepEqual(ledger.changes.missing, [window])
  const levelPointsIn = responseTo(window, 40n)
  assert.equal(evaluated(orderOf(), { levelPointsIn }, [yearly]).prediction.level.levelPoints, 140n)
})

test('a referral counts on the first placed order of its player alone', () => {
  const programs = [published({ referral: { friend: 5, referrer: 7 } })]
  const codes = new Map([['BEN', [{ referrerId: 'ben' }]]])
  const sent = orderOf({ referralCode: 'BEN' })
  const pointsAfter = (firstOrderId?: string) =>
    evaluated(
      sent,
      { codes, accounts: new Map([['asha', accountOf(firstOrderId === undefined ? {} : { firstOrderId })]]) },
      programs,
    ).prediction.points
  assert.deepEqual([pointsAfter(), pointsAfter('o-1'), pointsAfter('o-0')], [105n, 105n, 100n])
})

test('an order may earn as much as the wire can carry, and no more (decision 20)', () => {
  const tooMany = { refused: 'too-many-points' }
  const owing = { accounts: new Map([['asha', accountOf({ points: -5n, levelPoints: -5n })]]) }
  assert.equal(evaluated(orderOf({ total: whole(WHOLE_MAX) })).prediction.points, WHOLE_MAX)
  assert.deepEqual(evaluate(orderOf({ total: whole(WHOLE_MAX + 1n) })), tooMany)
  // Even where the account after it would fit.
  assert.deepEqual(evaluate(orderOf({ total: whole(WHOLE_MAX + 1n) }), owing), tooMany)
})

test('the level points and the account after an order also stay within what the wire can carry (decision 20)', () => {
  const tooMany = { refused: 'too-many-points' }
  const counting = (points: bigint) => ({ levelPointsIn: responseTo(window, points) })
  assert.equal(evaluated(orderOf(), counting(WHOLE_MAX - 100n), [yearly]).prediction.level.levelPoints, WHOLE_MAX)
  assert.deepEqual(evaluate(orderOf(), counting(WHOLE_MAX - 99n), [yearly]), tooMany)
  const rich = (points: bigint) => ({ accounts: new Map([['asha', accountOf({ points })]]) })
  assert.equal(evaluated(orderOf(), rich(WHOLE_MAX - 100n)).prediction.points, 100n)
  assert.deepEqual(evaluate(orderOf(), rich(WHOLE_MAX - 99n)), tooMany)
})

test('an order whose referrer can take no more points is refused (decision 20)', () => {
  const programs = [published({ referral: { friend: 5, referrer: 7 } })]
  const snapshot = (points: bigint) => ({
    codes: new Map([['BEN', [{ referrerId: 'ben' }]]]),
    accounts: new Map([['ben', accountOf({ points })]]),
  })
  const sent = orderOf({ referralCode: 'BEN' })
  assert.equal(evaluated(sent, snapshot(WHOLE_MAX - 7n), programs).postings.length, 2)
  assert.deepEqual(evaluate(sent, snapshot(WHOLE_MAX - 6n), programs), { refused: 'too-many-points' })
})

test('a state that is not the newest is refused, and so is another one under the same version (decision 71)', () => {
  const orders = new Map([['o-1', recordedOf({ stateVersion: 3 })]])
  const sent = (stateVersion: number, total?: bigint) =>
    evaluate({ ...orderOf(total === undefined ? {} : { total }), stateVersion }, { orders })
  assert.deepEqual(sent(2), { refused: 'stale' })
  assert.deepEqual(sent(3, 1n), { refused: 'conflict' })
  assert('prediction' in sent(3))
  assert('prediction' in sent(4, 1n))
  const decimals = { total: 1, discount: 0 }
  assert.deepEqual(
    evaluate({ ...orderOf(), stateVersion: 2, decimals }, { orders }),
    { refused: 'stale' },
    'a stale state is not refused for its decimals, which would ask for a correction',
  )
})

test('an amount with more decimals than either its program or the current one allows is refused (decision 69)', () => {
  const written = { ...orderOf(), decimals: { total: 1, discount: 0 } }
  assert.deepEqual(evaluate(written), { refused: 'total-decimals' })
  assert('prediction' in evaluate(written, {}, [published({ money: { decimals: 1 } })]))
})

test('an order keeps its fulfilment and its hold when it no longer names them', () => {
  const recorded = orderOf({ fulfilledAt: NOON, redemptionId: 'r-1' })
  const named = { fulfilledAt: NOW, redemptionId: 'r-2' }
  assert.deepEqual(mergeOrderState(orderOf(), recorded, NOW), recorded)
  assert.deepEqual(mergeOrderState(orderOf(named), recorded, NOW), orderOf(named))
  assert.deepEqual(mergeOrderState(orderOf(), undefined, NOW), orderOf())
  assert.deepEqual(
    mergeOrderState({ ...orderOf(), stateVersion: 1, decimals: { total: 0, discount: 0 } }, undefined, NOW),
    orderOf(),
  )
})

const paying = [published({ redeem: { value: { points: 1, pays: 1 } } })]
const reading = [
  published({
    redeem: { value: { points: 1, pays: 1 } },
    earn: [{ name: 'rich', when: 'player.points >= 40', fixed: { points: 7 } }],
  }),
]
const anyHistory = { userId: 'asha', orderId: '', redemptionId: '' }

test('where balances depend on the day, a new order sees what is available on the day of arrival, held points included (decision 138)', () => {
  const movements = [creditOn('2026-05-01', 70n, { expiresOn: '2026-06-09' }), creditOn('2026-05-01', 30n)]
  const held = heldOf({ points: 10n, heldOn: '2026-06-08', heldUntil: '2026-06-09T00:15:00.000Z' })
  const snapshot = {
    accounts: new Map([['asha', accountOf({ points: 100n })]]),
    history: responseTo(anyHistory, { movements, own: [], reinstated: 0n, redemptions: [held] }),
  }
  assert.equal(evaluated(orderOf(), snapshot, reading).facts.player.points, 40n)
  assert.equal(evaluated(orderOf(), snapshot).facts.player.points, 100n)
})

test('a history is looked up only where balances depend on the day and a condition reads them, and only for new orders', () => {
  const missing = (sent: SentOrder, snapshot: Partial<Snapshot> = {}, programs = reading) => {
    const ledger = createWorkingLedger(snapshotOf(snapshot))
    assert('prediction' in evaluateOrder(sent, ledger, programs, NOW))
    return ledger.changes.missing
  }
  assert.deepEqual(missing(orderOf()), [anyHistory])
  assert.deepEqual(missing(orderOf(), {}, [published()]), [])
  assert.deepEqual(missing(orderOf(), {}, paying), [])
  assert.deepEqual(missing(orderOf({ userId: 'zoe' })), [])
  assert.deepEqual(missing(orderOf({ total: 1n }), { orders: new Map([['o-1', recordedOf()]]) }), [])
})

test('an order that redeems more than the balance is refused', () => {
  const refused = { kind: 'not-enough', most: 0n, available: 0n, held: 0n }
  assert.deepEqual(evaluate(orderOf({ pointsRedeemed: 50n }), {}, paying), { refused })
})
