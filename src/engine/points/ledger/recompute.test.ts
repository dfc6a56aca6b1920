import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, published } from '../../../../test/support/points.ts'
import { type EvaluationInputs, UNKNOWN_PLAYER } from '../model.ts'
import { recompute, recomputeUnder, requireProgramVersion, UnknownVersion } from './recompute.ts'

const silver = { name: 'silver', when: 'player.level == "Silver"', multiply: { by: '2' } }
const earn = [{ name: 'base', 'per-amount': { points: 1, every: 1, of: 'catalogue' } }, silver]
const programs = [
  published({ earn }, 1),
  published({ earn, referral: { friend: 5, referrer: 7 } }, 2, '2026-01-01T00:00:00.000Z'),
]
const facts: EvaluationInputs = {
  program: 1,
  player: { ...UNKNOWN_PLAYER, known: true, levelPoints: 150n },
  prices: new Map([['tea', 300_000n]]),
  codes: new Map([['BEN', { referrerId: 'ben' }]]),
}
const order = orderOf({ lines: [{ sku: 'tea', qty: 10_000n }], referralCode: 'BEN' })

test('an order is computed with the player, the prices and the program of its first recording', () => {
  const { points, level, program } = recompute({ order, facts }, 'o-1', programs)
  assert.deepEqual([points, level.before, level.levelPoints, program.version], [60n, 'Silver', 210n, 1])
})

test('under another program its referral counts, if the order was the first', () => {
  const under = (firstOrderId?: string) => recomputeUnder(programs[1]!, { order, facts }, firstOrderId)
  assert.deepEqual([under('o-1').points, under(undefined).points, under('o-0').points], [65n, 65n, 60n])
  assert.deepEqual(under('o-1').referrer, { userId: 'ben', points: 7n, counts: true })
})

test('an unknown version is an error that names it', () => {
  assert.equal(requireProgramVersion({ order, facts: { ...facts, program: 2 } }, programs), programs[1])
  const unknown = { order, facts: { ...facts, program: 3 } }
  const error = (thrown: unknown) =>
    thrown instanceof UnknownVersion && thrown.message === 'program version 3 is not loaded yet'
  assert.throws(() => requireProgramVersion(unknown, programs), error)
  assert.throws(() => recompute(unknown, 'o-1', programs), error)
})
