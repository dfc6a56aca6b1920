import assert from 'node:assert/strict'
import test from 'node:test'
import { NOON, orderOf, published, recordedOf } from '../../../../test/support/points.ts'
import { type Order, type Prediction, type RecordedOrder, UNKNOWN_PLAYER } from '../model.ts'
import { predict } from '../predict.ts'
import { type Posting, postingsFor } from './postings.ts'

const LATER = '2026-06-02T12:00:00.000Z'
const plain = published()
const withReferral = (counts: boolean) => published({ referral: { friend: 5, referrer: 7, counts } })

/** What an order earns, with points of its own choice. */
function predictionOf(points: bigint, referrer?: [userId: string, points: bigint]): Prediction {
  const context = { levelPoints: 0n, referral: { why: 'no-code' } } as const
  const prediction = predict(orderOf(), UNKNOWN_PLAYER, new Map(), plain, context)
  if (referrer === undefined) return { ...prediction, points }
  return { ...prediction, points, referrer: { userId: referrer[0], points: referrer[1], counts: true } }
}

const own = (points: bigint, at = NOON): Posting => ({ userId: 'asha', kind: 'order', points, counts: true, at })
const gift = (userId: string, points: bigint, at = NOON, counts = true): Posting => ({
  userId,
  kind: 'referral',
  points,
  counts,
  at,
})
const postings = (
  recorded: RecordedOrder | undefined,
  prediction: Prediction,
  { order = {}, program = withReferral(true) }: { order?: Partial<Order>; program?: typeof plain } = {},
) => postingsFor(orderOf(order), recorded, prediction, program)

test('a first recording posts its points, even 0 of them, and a gift only if there is one', () => {
  assert.deepEqual(postings(undefined, predictionOf(100n), { program: plain }), [own(100n)])
  assert.deepEqual(postings(undefined, predictionOf(0n)), [own(0n)])
  assert.deepEqual(postings(undefined, predictionOf(105n, ['ben', 7n])), [own(105n), gift('ben', 7n)])
  assert.deepEqual(postings(undefined, predictionOf(105n, ['ben', 0n])), [own(105n)])
})

test('a referrer gets points that count for the level only if the program says so', () => {
  const prediction = predictionOf(105n, ['ben', 7n])
  assert.deepEqual(postings(undefined, prediction, { program: withReferral(false) }), [
    own(105n),
    gift('ben', 7n, NOON, false),
  ])
  const recorded = recordedOf({ points: 105n, referrer: { userId: 'ben', points: 7n } })
  assert.deepEqual(postings(recorded, predictionOf(105n), { program: withReferral(false) }), [
    own(0n),
    gift('ben', -7n, NOON, false),
  ])
})

test('a change posts only the difference, and where there is none 0 points that say what happened (decision 81)', () => {
  const recorded = recordedOf({ points: 100n, referrer: { userId: 'ben', points: 7n } })
  assert.deepEqual(postings(recorded, predictionOf(130n, ['ben', 7n])), [own(30n)])
  assert.deepEqual(postings(recorded, predictionOf(0n, ['ben', 9n])), [own(-100n), gift('ben', 2n)])
  assert.deepEqual(postings(recorded, predictionOf(100n, ['ben', 7n])), [own(0n)])
  const moved = { order: { at: LATER } }
  assert.deepEqual(postings(recordedOf({ points: 0n }), predictionOf(0n), moved), [own(0n, LATER)])
})

test('a gift that is added, removed or moved to another player is posted as such', () => {
  const given = recordedOf({ referrer: { userId: 'ben', points: 7n } })
  assert.deepEqual(postings(recordedOf(), predictionOf(100n, ['ben', 7n])), [own(0n), gift('ben', 7n)])
  assert.deepEqual(postings(given, predictionOf(100n)), [own(0n), gift('ben', -7n)])
  assert.deepEqual(postings(given, predictionOf(100n, ['cleo', 7n])), [own(0n), gift('ben', -7n), gift('cleo', 7n)])
})

test('points follow an order to its new moment (decision 105)', () => {
  const recorded = recordedOf({ points: 100n, referrer: { userId: 'ben', points: 7n } })
  assert.deepEqual(postings(recorded, predictionOf(100n, ['ben', 7n]), { order: { at: LATER } }), [
    own(-100n),
    own(100n, LATER),
    gift('ben', -7n),
    gift('ben', 7n, LATER),
  ])
  assert.deepEqual(postings(recorded, predictionOf(0n), { order: { at: LATER } }), [own(-100n), gift('ben', -7n)])
})
