import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { eventually } from '../../test/support/waiting.ts'
import { TooManyRequests, Unavailable } from '../errors.ts'
import { createFairQueue, WAITING_WORK } from './fair-queue.ts'

/** Work that ends when the test says so. */
function aPiece(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    begun.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

const aTurn = () => new Promise(setImmediate)

test('pieces of work run one at a time, and tokens take turns however many each has; a failure affects no other', async () => {
  const { run: queue } = createFairQueue()
  const begun: string[] = []
  const pieces = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ({ name, ...aPiece(begun, name) }))
  const results = pieces.map(({ name, work }) =>
    queue(name[0]!, work).catch((error: Error) => `failed ${error.message}`),
  )
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) {
    await eventually(`${name} begins`, async () => begun.at(-1) === name)
    const piece = pieces.find((one) => one.name === name)!
    if (name === 'b1') piece.fail()
    else piece.end()
  }
  assert.deepEqual(await Promise.all(results), ['a1', 'a2', 'a3', 'failed b1', 'c1'])
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('a token has one piece under way and four that wait; the next is refused until one has ended', async () => {
  const { run: queue } = createFairQueue()
  const begun: string[] = []
  const pieces = Array.from({ length: 5 }, (_, number) => aPiece(begun, String(number)))
  const results = pieces.map(({ work }) => queue('mine', work))
  const next = aPiece(begun, 'next')
  assert.throws(() => queue('mine', next.work), TooManyRequests)
  pieces[0]!.end()
  await results[0]
  await aTurn()
  const last = queue('mine', next.work)
  for (const piece of [...pieces, next]) piece.end()
  assert.deepEqual(await Promise.all([...results, last]), ['0', '1', '2', '3', '4', 'next'])
})

test('the pieces of all tokens together are bounded, too', () => {
  const { run: queue } = createFairQueue()
  for (let token = 0; token < WAITING_WORK.ofAllMax; token += 1)
    void queue(String(token), () => new Promise(() => undefined))
  assert.throws(() => queue('next', async () => undefined), Unavailable)
})

test('a token rests for as long as its last piece took: who comes meanwhile goes first', async () => {
  const { run: queue } = createFairQueue()
  const begun: string[] = []
  const piece = (name: string) => aPiece(begun, name)
  const [long, next, other] = [piece('a1'), piece('a2'), piece('b1')]
  const first = queue('a', long.work)
  await setTimeout(300)
  long.end()
  await first
  next.end()
  const second = queue('a', next.work)
  await aTurn()
  other.end()
  await queue('b', other.work)
  await second
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
})

test('a refusal comes after a pause, so that a caller who asks again at once is slowed down', async () => {
  const queue = createFairQueue()
  for (let count = 0; count <= WAITING_WORK.ofTokenMax; count += 1)
    void queue.run('mine', () => new Promise(() => undefined))
  let isRefused = false
  const refusal = assert.rejects(queue.assertHasRoom('mine'), TooManyRequests).then(() => {
    isRefused = true
  })
  await queue.assertHasRoom('yours')
  await aTurn()
  assert.equal(isRefused, false)
  await refusal
})
