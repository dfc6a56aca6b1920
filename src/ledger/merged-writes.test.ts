import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { ClientGone, Unavailable } from '../errors.ts'
import { createMergedWrites, type SmallWrite, type Together } from './merged-writes.ts'

type Sent = Partial<SmallWrite<string, string>> & Readonly<{ records: readonly string[] }>

type Issues = Readonly<{
  /** Whether a write fails at its COMMIT. */
  isCommitted?: boolean
  /** What the write of `held` waits for. */
  held?: Promise<void>
}>

/** A queue whose writes are noted and take a moment; `fails` says which requests may not be written together. */
function noted(
  fails: (records: readonly string[]) => Error | undefined = () => undefined,
  { isCommitted = false, held }: Issues = {},
) {
  const writes: string[][] = []
  const write = async (records: readonly string[], error: Error | undefined) => {
    writes.push([...records])
    await (records.includes('held') ? held : sleep(1))
    if (error !== undefined) throw error
    return records.map((record) => `${record} written`)
  }
  const together = ({ records, committing }: Together<string>) => {
    if (isCommitted) committing()
    return write(records, fails(records))
  }
  const merged = createMergedWrites<string, string>(together, 10)
  const send = (sent: Sent) =>
    merged({
      keys: sent.records,
      weight: sent.records.length,
      by: 't-1',
      at: '2026-06-01T10:00:00.000Z',
      deadlineAt: Number.POSITIVE_INFINITY,
      isAbandoned: () => false,
      mustWait: () => false,
      alone: async () => {
        writes.push([...sent.records, 'alone'])
        return sent.records.map((record) => `${record} written`)
      },
      ...sent,
    })
  return { writes, send }
}

test('requests that arrive while one is written are written together after it, and each gets its own verdicts', async () => {
  const { writes, send } = noted()
  const sent = [['a'], ['b', 'c'], ['d']].map((records) => send({ records }))
  assert.deepEqual(await Promise.all(sent), [['a written'], ['b written', 'c written'], ['d written']])
  assert.deepEqual(writes, [['a', 'b', 'c', 'd']])
  await send({ records: ['e'] })
  assert.deepEqual(writes.at(-1), ['e'])
})

test('requests with a common key are written one after the other, in order of arrival', async () => {
  const { writes, send } = noted()
  const keysOf = { a: ['u-1'], b: ['u-1', 'u-2'], c: ['u-2'], d: ['u-3'] }
  await Promise.all(Object.entries(keysOf).map(([record, keys]) => send({ records: [record], keys })))
  assert.deepEqual(writes, [['a', 'd'], ['b'], ['c']])
})

test('requests of different tokens are neither written together nor wait for each other', async () => {
  const held = Promise.withResolvers<void>()
  const { writes, send } = noted(() => undefined, { held: held.promise })
  const waiting = send({ records: ['held'], by: 't-2' })
  await Promise.all(['a', 'b'].map((record) => send({ records: [record] })))
  assert.deepEqual(writes, [['held'], ['a', 'b']])
  held.resolve()
  assert.deepEqual(await waiting, ['held written'])
})

test('what is written together arrived with its last request, and has the earliest deadline', async () => {
  const seen: Together<string>[] = []
  const merged = createMergedWrites<string, string>(async (requests) => {
    seen.push(requests)
    return requests.records.map(() => '')
  }, 10)
  let hasLeft = false
  const later = performance.now() + 60_000
  const times = ['2026-06-01T10:00:00.002Z', '2026-06-01T10:00:00.003Z', '2026-06-01T10:00:00.001Z']
  await Promise.all(
    times.map((at, index) =>
      merged({
        ...{ records: [at], keys: [at], weight: 1, by: 't-1', at, deadlineAt: later - index },
        isAbandoned: () => hasLeft && index === 2,
        mustWait: () => false,
        alone: () => assert.fail('it was to be written with the others'),
      }),
    ),
  )
  const [{ at, deadlineAt, isAbandoned }] = seen as [Together<string>]
  assert.deepEqual([seen.length, at, deadlineAt, isAbandoned()], [1, times[1], later - 2, false])
  hasLeft = true
  assert.equal(isAbandoned(), true)
})

test('a request that has to wait for others is written alone, and nobody waits with it', async () => {
  const { writes, send } = noted()
  const held = Promise.withResolvers<readonly string[]>()
  const waiting = send({ records: ['busy'], mustWait: () => true, alone: () => held.promise })
  await Promise.all(['a', 'b'].map((record) => send({ records: [record] })))
  assert.deepEqual(writes, [['a', 'b']])
  held.resolve(['held written'])
  assert.deepEqual(await waiting, ['held written'])
})

test('where one fails the others, each is written alone', async () => {
  const { writes, send } = noted((records) => (records.includes('poison') ? new Error('a fault') : undefined))
  const good = [send({ records: ['a'] }), send({ records: ['b'] })]
  const failing = send({ records: ['poison'], alone: () => Promise.reject(new Error('a fault of its own')) })
  await assert.rejects(failing, /a fault of its own/)
  assert.deepEqual(await Promise.all(good), [['a written'], ['b written']])
  assert.deepEqual(writes, [
    ['a', 'b', 'poison'],
    ['a', 'alone'],
    ['b', 'alone'],
  ])
})

test('if a write fails after its COMMIT may have been sent, nothing is written again', async () => {
  const { writes, send } = noted(() => new Unavailable('no answer'), { isCommitted: true })
  const sent = await Promise.allSettled(['a', 'b'].map((record) => send({ records: [record] })))
  assert.deepEqual(
    sent.map((one) => one.status === 'rejected' && one.reason instanceof Unavailable),
    [true, true],
  )
  assert.deepEqual(writes, [['a', 'b']])
})

test('while requests that could not be written together are written alone, those behind them do not wait', async () => {
  const { writes, send } = noted((records) =>
    records.includes('locked') ? new Unavailable('somebody else holds it') : undefined,
  )
  const held = Promise.withResolvers<readonly string[]>()
  const locked = send({ records: ['locked'], alone: () => held.promise })
  await send({ records: ['beside'] })
  await Promise.all(['a', 'b'].map((record) => send({ records: [record] })))
  assert.deepEqual(writes, [
    ['locked', 'beside'],
    ['beside', 'alone'],
    ['a', 'b'],
  ])
  held.resolve(['locked written'])
  assert.deepEqual(await locked, ['locked written'])
})

test('what has expired, or whose client has left, is not written with others; if a client leaves meanwhile, the others are written together again', async () => {
  let hasLeft = false
  const { writes, send } = noted((records) => {
    if (!records.includes('leaving') || hasLeft) return undefined
    hasLeft = true
    return new ClientGone('left')
  })
  const alone = () => Promise.reject(new Error('too late'))
  const sent = await Promise.allSettled([
    send({ records: ['late'], deadlineAt: performance.now() - 1, alone }),
    send({ records: ['leaving'], isAbandoned: () => hasLeft, alone }),
    ...['a', 'b'].map((record) => send({ records: [record] })),
  ])
  assert.deepEqual(
    sent.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(writes, [
    ['leaving', 'a', 'b'],
    ['a', 'b'],
  ])
})

test('however requests arrive, each is written once, within the bounds, never beside one with its key, and in order by key', async () => {
  const request = fc.record({
    keys: fc.uniqueArray(fc.integer({ min: 0, max: 6 }).map(String), { minLength: 1, maxLength: 3 }),
    weight: fc.integer({ min: 1, max: 10 }),
    by: fc.constantFrom('t-1', 't-2'),
    pauseMs: fc.integer({ min: 0, max: 2 }),
  })
  const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 30 }), async (requests) => {
    const done: number[] = []
    const running = new Map<string, number>()
    const write = async (records: readonly number[]) => {
      const { by } = requests[records[0]!]!
      running.set(by, (running.get(by) ?? 0) + 1)
      assert.equal(running.get(by), 1, 'two writes of a token at once')
      await sleep(records.length % 2)
      running.set(by, 0)
      done.push(...records)
      return records
    }
    const merged = createMergedWrites<number, number>(({ records }) => {
      const together = records.map((index) => requests[index]!)
      const keys = together.flatMap((one) => one.keys)
      assert.equal(new Set(keys).size, keys.length)
      assert.equal(new Set(together.map(({ by }) => by)).size, 1)
      assert(together.reduce((sum, { weight }) => sum + weight, 0) <= 10)
      return write(records)
    }, 10)
    const sent: Promise<readonly number[]>[] = []
    for (const [index, { pauseMs, ...one }] of requests.entries()) {
      if (pauseMs > 0) await sleep(pauseMs)
      const records = [index]
      const rest = { at: '', deadlineAt: Number.POSITIVE_INFINITY, isAbandoned: () => false, mustWait: () => false }
      sent.push(merged({ ...one, ...rest, records, alone: () => write(records) }))
    }
    assert.deepEqual(
      await Promise.all(sent),
      requests.map((_, index) => [index]),
    )
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      requests.map((_, index) => index),
    )
    for (const key of new Set(requests.flatMap(({ keys }) => keys))) {
      const order = done.filter((index) => requests[index]!.keys.includes(key) && requests[index]!.by === 't-1')
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      )
    }
  })
  await fc.assert(property, { numRuns: 50 })
})
