import assert from 'node:assert/strict'
import test from 'node:test'
import { ratio } from './arithmetic.ts'
import { explanationOf, isReferred } from './explanation.ts'
import { type NotApplied, type Order, type Prediction, type ReferralCase, UNKNOWN_PLAYER } from './model.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'

const order: Order = {
  id: 'o-1',
  userId: 'u-1',
  lines: [],
  total: 1_000_000n,
  discount: 0n,
  referralCode: 'ASHA',
  subscriptPoints: false,
  status: 'placed',
  at: '2026-01-01T00:00:00.000Z',
}

function explained(found: ReferralCase, referral: object | undefined, status: Order['status'] = 'placed') {
  const read = readProgram({
    name: 'Test',
    rounding: 'floor',
    levels: { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }] },
    earn: [{ name: 'nothing', 'per-unit': { points: 1 } }],
    ...(referral === undefined ? {} : { referral }),
  })
  assert('program' in read)
  const published = { version: 1, from: '-infinity', program: read.program }
  const context = { levelPoints: 0n, referral: found }
  return explanationOf(predict({ ...order, status }, UNKNOWN_PLAYER, new Map(), published, context))
}

test('the reason why a referral gave nothing has a kind for machines, from which it is read whether the referral counted (decision 110)', () => {
  const asha = { referrerId: 'u-asha' }
  const gives = { friend: 5, referrer: 7 }
  const cases: [ReferralCase, object, Order['status'], NotApplied['kind'], boolean][] = [
    [asha, gives, 'placed', undefined, true],
    [asha, { friend: 0, referrer: 7 }, 'placed', 'gives-nothing', true],
    [asha, gives, 'cancelled', 'not-placed', false],
    [{ why: 'no-code' }, gives, 'placed', 'no-code', false],
    [{ why: 'not-first' }, gives, 'placed', 'not-first', false],
    [{ why: 'unknown' }, gives, 'placed', 'unknown-code', false],
    [{ why: 'shared' }, gives, 'placed', 'shared-code', false],
  ]
  for (const [found, referral, status, kind, isCounted] of cases) {
    const explanation = explained(found, referral, status)
    assert.equal(explanation.not_applied.find(({ rule }) => rule === 'referral')?.kind, kind)
    assert.equal(isReferred(explanation), isCounted, `${status} ${JSON.stringify([found, referral])}`)
  }
})

test('lines of rules have no kind, so an explanation without a referral is unchanged (decision 110)', () => {
  const { not_applied } = explained({ referrerId: 'u-asha' }, undefined)
  assert.equal(JSON.stringify(not_applied), '[{"rule":"nothing","why":"it comes to 0 points for this order"}]')
})

test('whether a referral counted can also be read from an explanation stored before there were kinds (decision 110)', () => {
  const stored = (...notApplied: string[]) =>
    JSON.parse(
      `{"earned":[{"rule":"base","points":"10","because":{"net":"100","points":"1","every":"10"}}],"not_applied":[${notApplied}],"rounding":"0"}`,
    )
  assert.equal(isReferred(stored('{"rule":"referral","why":"it comes to 0 points for this order"}')), true)
  assert.equal(isReferred(stored('{"rule":"referral","why":"the order carries no referral code"}')), false)
  assert.equal(isReferred(stored('{"rule":"tea","why":"it comes to 0 points for this order"}')), false)
  assert.equal(isReferred(stored()), false)
  const given = { earned: [{ rule: 'referral', points: '5', because: { points: '5' } }], not_applied: [] }
  assert.equal(isReferred(given), true)
})

test('an explanation writes exact numbers as text and whole points as numbers', () => {
  const prediction: Prediction = {
    points: 4n,
    earned: [{ rule: 'base', points: { num: 10n, den: 3n }, because: { net: ratio(1_234n, 10n) } }],
    notApplied: [],
    rounding: { num: 2n, den: 3n },
    level: { before: 'Bronze', after: 'Silver', upgraded: true, lowered: false, levelPoints: 104n },
    notes: [{ kind: 'no-price', text: 'line 0 has no price', line: 0 }],
    program: { version: 2, name: 'Test' },
  }
  const explanation = {
    earned: [{ rule: 'base', points: '10/3', because: { net: '123.4' } }],
    not_applied: [],
    rounding: '2/3',
    level: { before: 'Bronze', after: 'Silver', upgraded: true, counted: 104, next: null },
    notes: prediction.notes,
    program: prediction.program,
  }
  assert.deepEqual(explanationOf(prediction), explanation)
  assert.deepEqual(explanationOf({ ...prediction, statisticsBy: '' }), { ...explanation, statistics_by: '' })
  const next = { name: 'Gold', missing: 896n }
  assert.deepEqual(explanationOf({ ...prediction, level: { ...prediction.level, next } }).level.next, {
    name: 'Gold',
    missing: 896,
  })
})
