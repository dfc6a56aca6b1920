import assert from 'node:assert/strict'
import test from 'node:test'
import { digestsOf } from './digests.ts'
import { type Order, type RecordedOrder, UNKNOWN_PLAYER } from './model.ts'
import {
  cameTrue,
  type DifferenceReason,
  findDifferenceReasons,
  type PredictedOutcome,
  type RecordedOutcome,
} from './prediction-difference.ts'

const order: Order = {
  id: 'o-1',
  userId: 'u-1',
  lines: [{ sku: 'tea', qty: 20_000n }],
  total: 12_000_000n,
  discount: 0n,
  referralCode: 'ASHA',
  subscriptPoints: false,
  status: 'placed',
  at: '2026-06-01T12:00:00.000Z',
}
const player = { ...UNKNOWN_PLAYER, known: true, levelPoints: 40n }
const prices = new Map([['tea', 45_000n]])
const recorded: RecordedOrder = {
  order,
  facts: { program: 1, player, prices, codes: new Map() },
  points: 120n,
  rev: 1n,
  recordedAt: order.at,
}
const outcome: RecordedOutcome = {
  points: 120n,
  levelAfter: 'Silver',
  referred: true,
  program: 1,
  at: order.at,
  levelPoints: 40n,
}
const predicted: PredictedOutcome = { ...outcome, digests: digestsOf(order, player, prices) }
const digest = '0123456789abcdef'
const other = (parts: Partial<PredictedOutcome['digests']>) => ({ digests: { ...predicted.digests, ...parts } })

test('a prediction came true if its points and level match what was recorded', () => {
  assert(cameTrue(predicted, outcome))
  assert(!cameTrue({ ...predicted, points: 119n }, outcome))
  assert(!cameTrue({ ...predicted, levelAfter: 'Gold' }, outcome))
})

test('every difference is reported, in a fixed order; those that merely follow from another are not', () => {
  const cases: [Partial<PredictedOutcome>, DifferenceReason[]][] = [
    [{}, ['unexplained']],
    [{ program: 2 }, ['program']],
    [other({ player: digest }), ['player']],
    [other({ prices: digest }), ['price']],
    [{ referred: false }, ['referral']],
    [other({ order: digest }), ['order']],
    [{ at: '2026-06-01T12:00:00.001Z' }, ['moment']],
    [{ at: undefined }, ['not-known']],
    [{ at: undefined, program: 2 }, ['program']],
    [{ at: '2026-06-02T12:00:00.000Z', program: 2 }, ['program']],
    [{ program: 2, referred: false }, ['program']],
    [{ referred: false, ...other({ order: digest, prices: digest }) }, ['order']],
    [{ referred: false, ...other({ player: digest, prices: digest }) }, ['player', 'price', 'referral']],
    [{ program: 2, ...other({ order: digest, player: digest, prices: digest }) }, ['program', 'player', 'order']],
  ]
  for (const [parts, reasons] of cases)
    assert.deepEqual(
      findDifferenceReasons({ ...predicted, ...parts }, outcome, recorded),
      reasons,
      JSON.stringify(reasons),
    )
})

test('a prediction computed without the balance differs in its player only where another fact does', () => {
  const { points: _, ...withoutBalance } = player
  const { points: __, ...elsewhere } = { ...player, region: 'Goa' }
  const without = (known: typeof withoutBalance) => other({ player: digestsOf(order, known, prices).player })
  const rich = { ...recorded, facts: { ...recorded.facts, player: { ...player, points: 900n } } }
  assert.deepEqual(findDifferenceReasons({ ...predicted, program: 2, ...without(withoutBalance) }, outcome, rich), [
    'program',
  ])
  assert.deepEqual(findDifferenceReasons({ ...predicted, ...without(elsewhere) }, outcome, rich), ['player'])
  assert.deepEqual(findDifferenceReasons(predicted, outcome, rich), ['player'])
})

test('an overwritten recording is known by the digests it left, or not at all', () => {
  const changed = { ...recorded, order: { ...order, total: 1n }, rev: 3n }
  const { order: first, prices: firstPrices } = predicted.digests
  const left = { ...changed, first: { order: first, prices: firstPrices } }
  assert.deepEqual(findDifferenceReasons(predicted, outcome, left), ['unexplained'])
  assert.deepEqual(findDifferenceReasons({ ...predicted, ...other({ prices: digest }) }, outcome, left), ['price'])
  assert.deepEqual(findDifferenceReasons(predicted, outcome, changed), ['not-known'])
  assert.deepEqual(findDifferenceReasons({ ...predicted, program: 2 }, outcome, changed), ['program', 'not-known'])
  assert.deepEqual(findDifferenceReasons(predicted, outcome, undefined), ['not-known'])
})
