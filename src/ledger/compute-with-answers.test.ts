import assert from 'node:assert/strict'
import test from 'node:test'
import { type Snapshot, type WindowQuery, windowKey } from '../engine/points/ledger/snapshot.ts'
import { Unavailable } from '../errors.ts'
import { computeWithAnswers } from './compute-with-answers.ts'

const none = new Map<string, never>()
const SNAPSHOT: Snapshot = {
  profiles: none,
  accounts: none,
  orders: none,
  catalogue: none,
  codes: none,
  levelPointsIn: () => undefined,
  history: () => undefined,
}
const window = (orderId: string): WindowQuery => ({ userId: 'u-1', orderId, from: 'a', to: 'b' })
const NO_HISTORIES = { histories: async () => new Map() }
const soon = () => performance.now() + 10_000

/** Needs the sums of all orders, but asks for each only once the previous one is known. */
function sumInTurn(orderIds: readonly string[]) {
  return ({ levelPointsIn }: Snapshot) => {
    const known = orderIds.map((orderId) => levelPointsIn(window(orderId)))
    const unknown = known.indexOf(undefined)
    const total = known.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
    return { total, missing: unknown < 0 ? [] : [window(orderIds[unknown]!)] }
  }
}

function asking(answers: Readonly<Record<string, bigint>>) {
  const rounds: string[][] = []
  const ask = async (queries: readonly WindowQuery[]) => {
    rounds.push(queries.map(({ orderId }) => orderId))
    const known = queries.filter(({ orderId }) => orderId in answers)
    return new Map(known.map((query) => [windowKey(query), answers[query.orderId]!]))
  }
  return { ask, rounds }
}

test('the sums of earlier rounds are kept, and none is requested twice', async () => {
  const { ask, rounds } = asking({ a: 1n, b: 20n, c: 300n })
  const sums = { ...NO_HISTORIES, sums: ask, roundsMax: 3, deadlineAt: soon() }
  const { total } = await computeWithAnswers(SNAPSHOT, sumInTurn(['a', 'b', 'c']), sums)
  assert.equal(total, 321n)
  assert.deepEqual(rounds, [['a'], ['b'], ['c']])
})

test('nothing is requested if no sum is missing', async () => {
  const { ask, rounds } = asking({})
  const known: Snapshot = { ...SNAPSHOT, levelPointsIn: ({ orderId }) => (orderId === 'a' ? 7n : undefined) }
  const sums = { ...NO_HISTORIES, sums: ask, roundsMax: 0, deadlineAt: performance.now() }
  assert.equal((await computeWithAnswers(known, sumInTurn(['a']), sums)).total, 7n)
  assert.deepEqual(rounds, [])
})

test('the computation gives up on a sum that is never answered after the maximum number of rounds', async () => {
  const { ask, rounds } = asking({ a: 1n })
  const sums = { ...NO_HISTORIES, sums: ask, roundsMax: 5, deadlineAt: soon() }
  await assert.rejects(
    computeWithAnswers(SNAPSHOT, sumInTurn(['a', 'never']), sums),
    /^AssertionError.*: answers are still missing after 5 rounds$/,
  )
  assert.deepEqual(rounds, [['a'], ['never'], ['never'], ['never'], ['never']])
})

test('after the deadline no more sums are requested', async () => {
  const { ask, rounds } = asking({ a: 1n })
  const sums = { ...NO_HISTORIES, sums: ask, roundsMax: 5, deadlineAt: performance.now() }
  await assert.rejects(computeWithAnswers(SNAPSHOT, sumInTurn(['a']), sums), Unavailable)
  assert.deepEqual(rounds, [])
})
