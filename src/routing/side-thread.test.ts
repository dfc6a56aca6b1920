import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from '../bulk/fair-queue.ts'
import { ClientGone, InvalidInput, Unavailable } from '../errors.ts'
import { createSideThread, type SideWork } from './side-thread.ts'

/** A thread that runs the body of a function of `input` and `call`. */
const threadOf = (body: string) => {
  const task = new URL('./side-task.ts', import.meta.url)
  const errors = new URL('../errors.ts', import.meta.url)
  const code = `
    import { serveSideTasks } from ${JSON.stringify(task.href)}
    import { InvalidInput } from ${JSON.stringify(errors.href)}
    serveSideTasks(async (input, call) => { ${body} })`
  return createSideThread(new URL(`data:text/javascript,${encodeURIComponent(code)}`), createFairQueue())
}

const work = (input: unknown, parts: Partial<SideWork> = {}): SideWork => ({
  ...{ tokenId: 't', input, deadlineAt: performance.now() + 60_000, isAbandoned: () => false },
  ...parts,
})

test('work is done in another thread, which asks the service for what it needs', async () => {
  const run = threadOf('return { doubled: (await call("find", input.key)) * 2n }')
  const calls = { find: async (key: string) => BigInt(key.length) }
  assert.deepEqual(await run(work({ key: 'abc' }, { calls })), { doubled: 6n })
  assert.deepEqual(await run(work({ key: 'abcd' }, { calls })), { doubled: 8n })
})

test('an input that is refused is refused with its path, and a failed question with the error of the service; the next work is done', async () => {
  const run = threadOf('if (input === "ask") return call("find"); throw new InvalidInput("data.x", "expected y")')
  await assert.rejects(
    run(work('x')),
    (error: InvalidInput) => error instanceof InvalidInput && error.path === 'data.x',
  )
  const down = new Unavailable('the database is down')
  const calls = { find: async () => Promise.reject(down) }
  await assert.rejects(run(work('ask', { calls })), down)
  assert.equal(await run(work('ask', { calls: { find: async () => 'found' } })), 'found')
})

test('work that takes too long or too much memory is refused, and the next is done', async () => {
  const run = threadOf(`
    if (input === 'for ever') for (;;);
    if (input === 'for all') for (const kept = []; ; ) kept.push(new Array(100_000).fill(kept.length));
    return input`)
  await assert.rejects(run(work('for ever')), /^Error: this takes more than 5 seconds: use the command laurel instead/)
  await assert.rejects(run(work('for all')), /^Error: this takes more than (256 MB|5 s)/)
  assert.equal(await run(work('little')), 'little')
})

test('work does not begin when its time is over, or when its client has left', async () => {
  const run = threadOf('return input')
  await assert.rejects(run(work(1, { deadlineAt: performance.now() - 1 })), Unavailable)
  await assert.rejects(run(work(1, { isAbandoned: () => true })), ClientGone)
})

test('a question of work that has failed ends later: the thread of the next work is kept', async () => {
  const run = threadOf(`
    if (input === 'fails') { void call('find'); throw new TypeError('a fault') }
    if (input === 'asks') await call('find')
    return (await import('node:worker_threads')).threadId`)
  const [failing, asking, asked] = Array.from({ length: 3 }, () => Promise.withResolvers<string>())
  await assert.rejects(run(work('fails', { calls: { find: () => failing!.promise } })), TypeError)
  const find = () => {
    asked!.resolve('')
    return asking!.promise
  }
  const second = run(work('asks', { tokenId: 'other', calls: { find } }))
  await asked!.promise
  failing!.reject(new Error('late'))
  await new Promise(setImmediate)
  asking!.resolve('found')
  assert.equal(await run(work('next', { tokenId: 'third' })), await second)
})

test('work that comes as the idle thread ends is done in a new one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const run = threadOf('return input')
  assert.equal(await run(work(1)), 1)
  t.mock.timers.tick(60_000)
  assert.equal(await run(work(2, { tokenId: 'other' })), 2)
})

test('a fault of the thread is an internal error', async () => {
  const run = threadOf('if (input === 1) throw new TypeError("a fault"); return input')
  await assert.rejects(run(work(1)), TypeError)
  assert.equal(await run(work(2)), 2)
})

test('the time that a thread needs to start does not count as time of its first work', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const run = threadOf('return input')
  const first = run(work(1))
  await new Promise(setImmediate)
  t.mock.timers.tick(5_000)
  assert.equal(await first, 1)
})
