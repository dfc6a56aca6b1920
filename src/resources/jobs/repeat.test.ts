import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { repeat } from './repeat.ts'

/** Runs a job until it has started `times` times, then stops it. Returns the errors reported. */
async function runTimes(times: number, job: (run: number) => Promise<void>): Promise<unknown[]> {
  const errors: unknown[] = []
  const done = Promise.withResolvers<void>()
  let runs = 0
  const stop = repeat(
    async () => {
      runs += 1
      if (runs === times) done.resolve()
      await job(runs)
    },
    1,
    (error) => errors.push(error),
  )
  const alive = setInterval(() => undefined, 1_000) // A job alone does not keep the process alive.
  await done.promise
  await stop()
  clearInterval(alive)
  return errors
}

test('a job runs repeatedly, and never twice at the same time', async () => {
  let running = 0
  await runTimes(5, async () => {
    running += 1
    assert.equal(running, 1)
    await sleep(5)
    running -= 1
  })
  assert.equal(running, 0)
})

test('of consecutive errors only the first is reported; after a success the next one is reported again', async () => {
  const fails = [true, true, false, true, true]
  const errors = await runTimes(fails.length, async (run) => {
    if (fails[run - 1]) throw run
  })
  assert.deepEqual(errors, [1, 4])
})

test('stopping waits for a run in progress, and no further run starts', async () => {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const log: string[] = []
  const stop = repeat(
    async () => {
      begun.resolve()
      await release.promise
      log.push('the job ends')
    },
    1,
    (error) => assert.fail(String(error)),
  )
  const alive = setInterval(() => undefined, 1_000)
  await begun.promise
  const stopped = stop().then(() => log.push('stopped'))
  release.resolve()
  await stopped
  await sleep(20)
  clearInterval(alive)
  assert.deepEqual(log, ['the job ends', 'stopped'])
})
