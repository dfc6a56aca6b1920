import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import { createSessionQueue, type SessionUse } from './session-queue.ts'

const far = () => performance.now() + 60_000

test('kinds are served round-robin, and each kind in order of arrival, so that no caller waits for a whole queue of another kind', async () => {
  const sessionQueue = createSessionQueue(1)
  const endFirst = await sessionQueue.acquire('write', far())
  const served: string[] = []
  const inTurn = async (kind: SessionUse, name: string) => {
    const releaseSession = await sessionQueue.acquire(kind, far())
    served.push(name)
    releaseSession()
  }
  const writes = Array.from({ length: 20 }, (_, index) => inTurn('write', `write ${index}`))
  const reads = [inTurn('read', 'read 0'), inTurn('read', 'read 1')]
  const predictions = [inTurn('prediction', 'prediction 0'), inTurn('prediction', 'prediction 1')]
  endFirst()
  await Promise.all([...writes, ...reads, ...predictions])
  assert.deepEqual(served.slice(0, 7), [
    'prediction 0',
    'read 0',
    'write 0',
    'prediction 1',
    'read 1',
    'write 1',
    'write 2',
  ])
  assert.equal(served.length, 24)
})

test('a caller unlikely to get a turn before the deadline, judging by how long turns last, is refused at once; the first of a kind never is', async () => {
  const sessionQueue = createSessionQueue(1)
  for (let turn = 0; turn < 20; turn += 1) {
    const releaseSession = await sessionQueue.acquire('write', far())
    await sleep(5)
    releaseSession()
  }
  const releaseSession = await sessionQueue.acquire('write', far())
  const patient = Array.from({ length: 100 }, () => sessionQueue.acquire('write', far()))
  let isHeld = true
  await assert.rejects(sessionQueue.acquire('write', performance.now() + 100), (error) => {
    assert.ok(isHeld && error instanceof Unavailable)
    assert.match(error.message, /overloaded: retry later/)
    return error.retryAfterS >= 1
  })
  const prediction = sessionQueue.acquire('prediction', far())
  isHeld = false
  releaseSession()
  const endPrediction = await prediction
  endPrediction()
  for (const waiting of patient) (await waiting)()
  const last = sessionQueue.tryAcquire()
  assert.ok(last !== undefined && sessionQueue.tryAcquire() === undefined)
  last()
})

test('each of several slots is held by one caller at a time', async () => {
  const sessionQueue = createSessionQueue(2)
  const ends = [await sessionQueue.acquire('write', far()), await sessionQueue.acquire('read', far())]
  assert.equal(sessionQueue.tryAcquire(), undefined)
  const third = sessionQueue.acquire('write', far())
  ends[1]!()
  const ended = sessionQueue.end(new Unavailable('closing'))
  ;(await third)()
  ends[0]!()
  await ended
})
