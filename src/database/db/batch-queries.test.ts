import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Unavailable } from '../../errors.ts'
import { batchQueries } from './batch-queries.ts'

const QUERIES_MAX = 4
const far = () => performance.now() + 60_000

test('each question gets its own answer or the failure of its statement, however questions arrive, and statements run one at a time', async () => {
  const arrivals = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 6 }), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(arrivals, async (queries) => {
      let underWay = 0
      const { ask } = batchQueries(
        async (batch: readonly { place: number; fails: boolean }[]) => {
          underWay += 1
          assert.equal(underWay, 1)
          assert.ok(batch.length <= QUERIES_MAX)
          await sleep(1)
          underWay -= 1
          if (batch.some(({ fails }) => fails)) throw new Error(batch.map(({ place }) => place).join())
          return batch.map(({ place }) => place)
        },
        { queriesMax: QUERIES_MAX, waitingMax: 100 },
      )
      const asked = queries.map(async ({ afterMs, fails }, place) => {
        await sleep(afterMs)
        return ask({ place, fails }, far())
      })
      for (const [place, outcome] of (await Promise.allSettled(asked)).entries()) {
        if (outcome.status === 'fulfilled') assert.deepEqual([outcome.value, queries[place]!.fails], [place, false])
        else assert.ok(outcome.reason.message.split(',').includes(String(place)))
      }
    }),
    { numRuns: 30 },
  )
})

test('questions beyond the limit are refused, and one past its deadline is not asked', async () => {
  const asked: number[] = []
  const { ask } = batchQueries(
    async (batch: readonly number[]) => {
      asked.push(...batch)
      await sleep(20)
      return batch
    },
    { queriesMax: 1, waitingMax: 2 },
  )
  const first = ask(1, far())
  await sleep(5)
  const others = [ask(2, performance.now() + 5), ask(3, far())]
  await assert.rejects(ask(4, far()), Unavailable)
  await assert.rejects(others[0]!, Unavailable)
  assert.deepEqual([await first, await others[1]], [1, 3])
  assert.deepEqual(asked, [1, 3])
})

test('a question unlikely to be answered in time, judging by recent batches, is refused at once with a retry time', async () => {
  const asked: string[] = []
  const { ask, refusal } = batchQueries(
    async (batch: readonly string[]) => {
      asked.push(...batch)
      await sleep(20)
      return batch
    },
    { queriesMax: 1, waitingMax: 10_000 },
  )
  const patient = Array.from({ length: 12 }, () => ask('patient', far()))
  await patient[3]
  const before = asked.length
  assert.equal(refusal(performance.now() + 50)?.retryAfterS, 1)
  await assert.rejects(
    ask('hasty', performance.now() + 50),
    (error) => error instanceof Unavailable && error.retryAfterS === 1,
  )
  assert.equal(asked.length, before, 'it was not refused at once')
  await Promise.all(patient)
  assert.deepEqual(asked, Array(12).fill('patient'))
  await ask('hasty', performance.now() + 10_000)
})

test('after a spell without timely answers some questions are still admitted', async () => {
  let lastsMs = 100
  const { ask, refusal } = batchQueries(
    async (batch: readonly number[]) => {
      await sleep(lastsMs)
      return batch
    },
    { queriesMax: 16, waitingMax: 10_000 },
  )
  await ask(0, far())
  lastsMs = 0
  const soon = performance.now() + 5
  const asked = [ask(1, far())]
  assert.equal(refusal(soon), undefined)
  asked.push(ask(2, far()), ask(3, far()))
  assert.equal(refusal(soon)?.retryAfterS, 1)
  assert.deepEqual(await Promise.all(asked), [1, 2, 3])
})

test('a delay caused by a busy thread counts too: the next questions are refused', async () => {
  const { ask, refusal } = batchQueries(async (batch: readonly number[]) => batch, {
    queriesMax: 16,
    waitingMax: 10_000,
  })
  const late = [1, 2].map((query) => assert.rejects(ask(query, performance.now() + 5), Unavailable))
  const busyUntil = performance.now() + 100
  while (performance.now() < busyUntil);
  await Promise.all(late)
  const asked = [ask(3, far()), ask(4, far())]
  assert.equal(refusal(performance.now() + 20)?.retryAfterS, 1)
  assert.deepEqual(await Promise.all(asked), [3, 4])
})
