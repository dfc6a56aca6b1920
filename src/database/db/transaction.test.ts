/*
 * Every way a transaction can end, on a scripted driver, with a clock controlled by the test. The same on real databases:
 * test/store/transaction.test.ts and test/store/postgres.test.ts.
 */
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { describe, type TestContext, test } from 'node:test'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { Driver } from './driver.ts'
import { NotReplicated } from './failures.ts'
import { createDb, type RetryNote, type Tx } from './transaction.ts'

/** The reply to a statement: its rows, an error, or a promise of either. */
type Reply = object[] | Error | Promise<object[]>

/** A database on a driver that answers each statement, and each request for a `session`, from its list in `replies`, then with no rows. */
function scriptedDb(replies: Readonly<Record<string, Reply[]>> = {}, traits: Partial<Driver> = {}) {
  /** The log of each session, by its number: the statements sent to it, then `free` or `destroyed`. */
  const log: string[] = []
  const notes: RetryNote[] = []
  const fatal: Error[] = []
  /** The deadlines passed when requesting sessions. */
  const deadlines: number[] = []
  let sessions = 0
  async function reply(asked: string): Promise<object[]> {
    const next = await replies[asked]?.shift()
    if (next instanceof Error) throw next
    return next ?? []
  }
  const driver: Driver = {
    name: 'postgres',
    hasOtherWriters: true,
    isCluster: () => false,
    hasStandby: true,
    sliceCommit: 'together',
    copyRows: 7,
    changeRows: 3,
    async session(deadlineAt) {
      deadlines.push(deadlineAt)
      await reply('session')
      const number = ++sessions
      const send = async (sql: string) => {
        log.push(`${number} ${sql}`)
        return await reply(sql)
      }
      return {
        query: (sql, params = []) => send([sql, ...params].join(' ')) as Promise<never[]>,
        script: async (sql) => void (await send(`script ${sql}`)),
        async batch(steps) {
          const rowCounts: number[] = []
          try {
            for (const { sql, rows } of steps) rowCounts.push((await send(`${sql} ${rows}`)).length)
          } catch (error) {
            return { rowCounts, error }
          }
          return { rowCounts }
        },
        release: (broken) => log.push(`${number} ${broken ? 'destroyed' : 'free'}`),
      }
    },
    memoryBytes: () => 4096,
    sessionCounts: () => ({ max: 2, used: 1, waiting: 0 }),
    close: async () => void log.push('closed'),
    ...traits,
  }
  const db = createDb(driver, { onRetry: (note) => notes.push(note), onFatal: (error) => fatal.push(error) })
  const run = (work: (tx: Tx, attempt: number) => Promise<unknown> = send('x'), deadlineAt = soon()) =>
    db.transaction(work, deadlineAt)
  return { db, driver, run, log, notes, fatal, deadlines }
}

/** Work that sends one statement, and returns its rows. */
function send(sql: string) {
  return (tx: Tx) => tx.query(sql)
}

/** Work that does nothing but hand its transaction to the test. */
function lending() {
  const lent: { tx?: Tx } = {}
  const work = async (tx: Tx) => {
    lent.tx = tx
  }
  return { lent, work }
}

const soon = () => performance.now() + 60_000

function coded(code: string): Error {
  return Object.assign(new Error(`as the server said: ${code}`), { code })
}

const always = (code: string) => Array.from({ length: 100 }, () => coded(code))
const [LOST, CONFLICT, LOCK_WAIT, TIMEOUT, DUPLICATE, OUR_FAULT] = [
  '08006',
  '40001',
  '55P03',
  '57014',
  '23505',
  '42601',
]
const never = () => new Promise<never>(() => undefined)
const whenIdle = () => new Promise((resolve) => setImmediate(resolve))
const ended = { message: 'this transaction has ended' }
const isLate = (error: unknown) => error instanceof Unavailable && error.message === 'database timeout'

/** Makes retries immediate. */
function withoutDelays(t: TestContext): void {
  t.mock.method(Math, 'random', () => 0)
}

/** Stops the clock until `advance` moves it; delays are half of the maximum. */
function stoppedClock(t: TestContext) {
  let now = 1_000_000
  t.mock.timers.enable({ apis: ['setTimeout'] })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.timers.reset()
    syncBuiltinESMExports()
  })
  t.mock.method(performance, 'now', () => now)
  t.mock.method(Math, 'random', () => 0.5)
  return async function advance(ms: number): Promise<void> {
    await whenIdle()
    for (let left = ms; left > 0; left -= 1) {
      now += 1
      t.mock.timers.tick(1)
      await whenIdle()
    }
  }
}

/** The outcome of a promise so far. */
function watched(running: Promise<unknown>) {
  const seen: { response?: unknown; error?: unknown } = {}
  running.then(
    (response) => Object.assign(seen, { response }),
    (error) => Object.assign(seen, { error }),
  )
  return seen
}

describe('a transaction', () => {
  test('work is committed, and its session is reused', async () => {
    const { run, log, notes } = scriptedDb({ 'x 1': [[{ n: 7 }]] })
    assert.deepEqual(await run((tx) => tx.query('x', [1])), [{ n: 7 }])
    assert.deepEqual(log, ['1 begin', '1 x 1', '1 commit', '1 free'])
    assert.deepEqual(notes, [])
  })

  test('statements, scripts and steps are sent to its session', async () => {
    const { run, log } = scriptedDb()
    await run(async (tx) => {
      await tx.script('s')
      await tx.batch([])
      await tx.batch([{ sql: 'copy t from stdin', rows: 'rows' }])
    })
    assert.deepEqual(log, ['1 begin', '1 script s', '1 copy t from stdin rows', '1 commit', '1 free'])
  })

  test('work that throws is rolled back, its error is passed on unchanged, and the session is reused', async () => {
    const { run, log, notes } = scriptedDb()
    const fault = new Error('our own')
    const failing = run(() => Promise.reject(fault))
    await assert.rejects(failing, (error) => error === fault)
    assert.deepEqual(log, ['1 begin', '1 rollback', '1 free'])
    assert.deepEqual(notes, [])
  })

  for (const [statement, failing] of [
    ['x', send('x')],
    ['script x', (tx: Tx) => tx.script('x')],
    ['copy x from stdin rows', (tx: Tx) => tx.batch([{ sql: 'copy x from stdin', rows: 'rows' }])],
  ] as const) {
    test(`a failed "${statement}" fails it with the first error, even when the work catches that`, async () => {
      const { run, log } = scriptedDb({ [statement]: [coded(DUPLICATE)], y: [coded('25P02')] })
      const swallowing = async (tx: Tx) => {
        await failing(tx).catch(() => undefined)
        await tx.query('y').catch(() => undefined)
      }
      await assert.rejects(run(swallowing), { code: DUPLICATE })
      assert.deepEqual(log, ['1 begin', `1 ${statement}`, '1 y', '1 rollback', '1 free'])
    })
  }

  test('a session whose rollback failed is never used again', async () => {
    const { run, log } = scriptedDb({ x: [coded(DUPLICATE)], rollback: [coded(OUR_FAULT)] })
    await assert.rejects(run(), { code: DUPLICATE })
    assert.deepEqual(log, ['1 begin', '1 x', '1 rollback', '1 destroyed'])
  })

  for (const statement of ['begin', 'x']) {
    test(`a session lost at "${statement}" is not rolled back and never used again; the work runs on another`, async (t) => {
      withoutDelays(t)
      const { run, log } = scriptedDb({ [statement]: [coded(LOST)] })
      await run()
      const first = statement === 'x' ? ['1 begin', '1 x'] : ['1 begin']
      assert.deepEqual(log, [...first, '1 destroyed', '2 begin', '2 x', '2 commit', '2 free'])
    })
  }

  test('a COMMIT that the server refused is rolled back, and the work runs again', async (t) => {
    withoutDelays(t)
    const { run, log } = scriptedDb({ commit: [coded(CONFLICT)] })
    await run()
    const again = ['2 begin', '2 x', '2 commit', '2 free']
    assert.deepEqual(log, ['1 begin', '1 x', '1 commit', '1 rollback', '1 free', ...again])
  })

  test('each run of the work knows which attempt it is', async (t) => {
    withoutDelays(t)
    const { run } = scriptedDb({ x: [coded(CONFLICT), coded(CONFLICT)] })
    const attempts: number[] = []
    await run(async (tx, attempt) => {
      attempts.push(attempt)
      await tx.query('x')
    })
    assert.deepEqual(attempts, [1, 2, 3])
  })

  test('work that outlives its transaction cannot touch the session, however the transaction ended', async () => {
    for (const commit of [[], coded(OUR_FAULT)]) {
      const { run, log } = scriptedDb({ commit: [commit] })
      const { lent, work } = lending()
      await run(work).catch(() => undefined)
      const before = [...log]
      await assert.rejects(lent.tx!.query('x'), ended)
      await assert.rejects(lent.tx!.script('x'), ended)
      await assert.rejects(lent.tx!.batch([{ sql: 'copy x from stdin', rows: '' }]), ended)
      await assert.rejects(lent.tx!.savepoint(send('x')), ended)
      assert.deepEqual(log, before)
    }
  })

  test('work cannot send anything behind its COMMIT', async () => {
    const commit = Promise.withResolvers<object[]>()
    const { run, log } = scriptedDb({ commit: [commit.promise] })
    const { lent, work } = lending()
    const running = run(work)
    await whenIdle()
    await assert.rejects(lent.tx!.query('x'), ended)
    commit.resolve([])
    await running
    assert.deepEqual(log, ['1 begin', '1 commit', '1 free'])
  })
})

describe('a statement outside a transaction', () => {
  test('it returns its session, whether it succeeds or fails', async () => {
    const { db, log } = scriptedDb({ 'x 1': [[{ n: 1 }]], y: [coded('42P01')] })
    assert.deepEqual(await db.read('x', [1], soon()), [{ n: 1 }])
    await assert.rejects(db.read('y', [], soon()), { code: '42P01' })
    assert.deepEqual(log, ['1 x 1', '1 free', '2 y', '2 free'])
  })

  test('a lost session is never used again, and the statement is retried on another', async (t) => {
    withoutDelays(t)
    const { db, log } = scriptedDb({ x: [coded(LOST)] })
    await db.read('x', [], soon())
    assert.deepEqual(log, ['1 x', '1 destroyed', '2 x', '2 free'])
  })
})

describe('a savepoint', () => {
  const [made, released, undone] = ['1 savepoint part', '1 release savepoint part', '1 rollback to savepoint part']

  test('a part that succeeds is released, and returns its result', async () => {
    const { run, log } = scriptedDb({ y: [[{ n: 1 }]] })
    assert.deepEqual(await run((tx) => tx.savepoint(send('y'))), [{ n: 1 }])
    assert.deepEqual(log, ['1 begin', made, '1 y', released, '1 commit', '1 free'])
  })

  test('a part that fails is undone alone and its savepoint removed; its error may be caught, and the rest is committed', async () => {
    const { run, log } = scriptedDb({ y: [coded(DUPLICATE)] })
    await run(async (tx) => {
      await assert.rejects(tx.savepoint(send('y')), { code: DUPLICATE })
      await tx.query('x')
    })
    assert.deepEqual(log, ['1 begin', made, '1 y', undone, released, '1 x', '1 commit', '1 free'])
  })

  test('a failed statement fails its part, even when the part catches the error', async () => {
    const { run, log } = scriptedDb({ y: [coded(DUPLICATE)] })
    const swallowing = async (tx: Tx) => {
      await tx.query('y').catch(() => undefined)
    }
    await run((tx) => assert.rejects(tx.savepoint(swallowing), { code: DUPLICATE }))
    assert.deepEqual(log, ['1 begin', made, '1 y', undone, released, '1 commit', '1 free'])
  })

  test('a part that can be neither kept nor undone fails the transaction', async () => {
    const cases = {
      'savepoint part': { 'savepoint part': [coded(OUR_FAULT)] },
      'release savepoint part': { 'release savepoint part': [coded(OUR_FAULT)] },
      'rollback to savepoint part': { y: [coded(DUPLICATE)], 'rollback to savepoint part': [coded(OUR_FAULT)] },
      'release savepoint part after a rollback': {
        y: [coded(DUPLICATE)],
        'release savepoint part': [coded(OUR_FAULT)],
      },
    }
    for (const [statement, replies] of Object.entries(cases)) {
      const { run, log } = scriptedDb(replies)
      const swallowing = (tx: Tx) => tx.savepoint(send('y')).catch(() => undefined)
      await assert.rejects(run(swallowing), { code: OUR_FAULT }, statement)
      assert.deepEqual(log.slice(-2), ['1 rollback', '1 free'], statement)
    }
  })
})

describe('the deadline', () => {
  test('a transaction past its deadline is refused without a session', async (t) => {
    stoppedClock(t)
    const { db, run, deadlines } = scriptedDb()
    await assert.rejects(run(send('x'), performance.now()), isLate)
    await assert.rejects(db.read('x', [], performance.now() - 1), isLate)
    assert.deepEqual(deadlines, [])
  })

  test('while waiting for a session: the error of the driver is passed on unchanged', async () => {
    const busy = new Unavailable('no connection became free', { retryAfterS: 2 })
    const { run, log, notes } = scriptedDb({ session: [busy] })
    await assert.rejects(run(), (error) => error === busy)
    assert.deepEqual([log, notes], [[], []])
  })

  test('a session obtained too late is returned unused', async (t) => {
    const advance = stoppedClock(t)
    const session = Promise.withResolvers<object[]>()
    const { run, log } = scriptedDb({ session: [session.promise] })
    const seen = watched(run(send('x'), performance.now() + 100))
    await advance(100)
    session.resolve([])
    await advance(0)
    assert.ok(isLate(seen.error))
    assert.deepEqual(log, ['1 free'])
  })

  const sent = ['1 begin', '1 x', '1 y', '1 commit']
  for (const [during, runs] of [
    ['begin', 0],
    ['x', 1],
    ['commit', 1],
  ] as const) {
    test(`during "${during}": refused in time; its session is never used again, and sent nothing more`, async (t) => {
      const advance = stoppedClock(t)
      const response = Promise.withResolvers<object[]>()
      const { run, log, notes } = scriptedDb({ [during]: [response.promise] })
      const attempts: number[] = []
      const work = async (tx: Tx, attempt: number) => {
        attempts.push(attempt)
        await tx.query('x')
        await tx.query('y')
      }
      const seen = watched(run(work, performance.now() + 100))
      await advance(99)
      assert.deepEqual(seen, {})
      await advance(1)
      assert.ok(isLate(seen.error))
      response.resolve([])
      await advance(1)
      assert.deepEqual(log, [...sent.slice(0, sent.indexOf(`1 ${during}`) + 1), '1 destroyed'])
      assert.equal(attempts.length, runs)
      assert.deepEqual(notes, [])
    })
  }

  test('during a rollback: its session is never used again', async (t) => {
    const advance = stoppedClock(t)
    const { run, log } = scriptedDb({ x: [coded(DUPLICATE)], rollback: [never()] })
    const seen = watched(run(send('x'), performance.now() + 100))
    await advance(100)
    assert.ok(isLate(seen.error))
    assert.deepEqual(log, ['1 begin', '1 x', '1 rollback', '1 destroyed'])
  })

  test('during a statement outside a transaction: its session is never used again', async (t) => {
    const advance = stoppedClock(t)
    const { db, log } = scriptedDb({ x: [never()] })
    const seen = watched(db.read('x', [], performance.now() + 100))
    await advance(100)
    assert.ok(isLate(seen.error))
    assert.deepEqual(log, ['1 x', '1 destroyed'])
  })

  test('work that finishes after it is neither committed nor rolled back', async (t) => {
    const advance = stoppedClock(t)
    for (const end of ['resolve', 'reject'] as const) {
      const { run, log } = scriptedDb()
      const work = Promise.withResolvers<void>()
      const seen = watched(run(() => work.promise, performance.now() + 100))
      await advance(100)
      assert.ok(isLate(seen.error))
      work[end]()
      await advance(1)
      assert.deepEqual(log, ['1 begin', '1 destroyed'])
    }
  })

  test('a deadline that was met leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    const { run } = scriptedDb({ y: [coded(OUR_FAULT)] })
    await run()
    await assert.rejects(run(send('y')))
    assert.ok(timers() <= before)
  })

  test('a distant deadline is capped at what timers can handle', async (t) => {
    stoppedClock(t)
    const { db, deadlines } = scriptedDb()
    await db.read('x', [], Number.POSITIVE_INFINITY)
    await db.read('x', [], performance.now() + 5)
    assert.deepEqual(deadlines, [performance.now() + 2 ** 30, performance.now() + 5])
  })
})

describe('a COMMIT whose outcome is unknown', () => {
  const confirmed = "select 1 as one from pg_logical_emit_message(true, 'laurel', '')"

  for (const [reason, error, end] of [
    ['its connection was lost', coded(LOST), ['1 destroyed']],
    ['its statement timed out', coded(TIMEOUT), ['1 rollback', '1 free']],
    ['the standby did not answer', new NotReplicated('cancelled'), ['1 rollback', '1 free']],
  ] as const) {
    test(`because ${reason}: the work runs again, and waits for the standby once`, async (t) => {
      withoutDelays(t)
      const { run, log, notes } = scriptedDb({ commit: [error] })
      await run()
      const again = ['2 begin', '2 x', `2 ${confirmed}`, '2 commit', '2 free']
      assert.deepEqual(log, ['1 begin', '1 x', '1 commit', ...end, ...again])
      assert.deepEqual(
        notes.map(({ failures }) => failures),
        [1],
      )
      await run()
      assert.deepEqual(log.slice(-4), ['3 begin', '3 x', '3 commit', '3 free'])
    })
  }

  test('because the deadline passed: the next transaction waits for the standby', async (t) => {
    const advance = stoppedClock(t)
    const { run, log } = scriptedDb({ commit: [never()] })
    const seen = watched(run(send('x'), performance.now() + 100))
    await advance(100)
    assert.ok(isLate(seen.error))
    await run()
    assert.equal(log.filter((line) => line === `2 ${confirmed}`).length, 1)
  })

  test('is retried until the deadline, even if the failure itself is not retried', async (t) => {
    const advance = stoppedClock(t)
    const { run, notes } = scriptedDb({ commit: always(TIMEOUT) })
    const seen = watched(run(send('x'), performance.now() + 1000))
    await advance(1000)
    assert.ok(isLate(seen.error))
    assert.deepEqual(
      notes.map(({ kind, failures, delayMs }) => [kind, failures, delayMs]),
      [50, 100, 200, 400].map((delayMs, index) => ['timeout', index + 1, delayMs]),
    )
  })

  test('each of several is confirmed separately', async (t) => {
    withoutDelays(t)
    const { run, log } = scriptedDb({ commit: [coded(LOST), coded(LOST)] })
    await run()
    assert.deepEqual(
      log.filter((line) => line.endsWith(confirmed)),
      [`2 ${confirmed}`, `3 ${confirmed}`],
    )
  })

  test('the outcome is not unknown after a failure before COMMIT, or a refused COMMIT', async (t) => {
    withoutDelays(t)
    for (const replies of [{ x: [coded(LOST)] }, { commit: [coded(CONFLICT)] }, { session: [coded(LOST)] }]) {
      const { run, log } = scriptedDb(replies)
      await run()
      assert.ok(log.includes('2 commit') || log.includes('1 commit'))
      assert.ok(!log.some((line) => line.endsWith(confirmed)))
    }
  })

  test('each later run of the work, and of its parts, knows that an earlier one may have committed; before, none does', async (t) => {
    withoutDelays(t)
    const { db, run } = scriptedDb({
      session: [coded(LOST)],
      x: [coded(CONFLICT), coded(LOST)],
      commit: [coded(CONFLICT), coded(LOST)],
      y: [[], [], coded(LOST)],
    })
    const known: boolean[] = []
    await run(async (tx) => {
      known.push(tx.mayHaveCommitted)
      await tx.query('x')
      await tx.savepoint(async (part) => assert.equal(part.mayHaveCommitted, tx.mayHaveCommitted))
      await tx.query('y')
    })
    assert.deepEqual(known, [false, false, false, false, true, true])
    await db.transaction(async (tx) => assert.equal(tx.mayHaveCommitted, false), soon())
  })

  test('with slices that are committed separately concerns only its own', async (t) => {
    withoutDelays(t)
    const { db } = scriptedDb({ commit: [[], coded(LOST)] }, { sliceCommit: 'each' })
    const known: [string, boolean][] = []
    await db.inSlices(['a', 'b', 'c'], async (tx, slice) => void known.push([slice, tx.mayHaveCommitted]), soon())
    assert.deepEqual(known, [
      ['a', false],
      ['b', false],
      ['b', true],
      ['c', false],
    ])
  })

  test('without a standby there is nothing to wait for', async (t) => {
    withoutDelays(t)
    const { run, log } = scriptedDb({ commit: [coded(LOST)] }, { hasStandby: false })
    await run()
    assert.deepEqual(log.slice(-4), ['2 begin', '2 x', '2 commit', '2 free'])
  })

  test('is not confirmed by a transaction that began before it', async (t) => {
    const advance = stoppedClock(t)
    const early = Promise.withResolvers<object[]>()
    const { run, log } = scriptedDb({ y: [early.promise], commit: [never()] })
    const first = run(send('y'))
    await advance(0)
    const second = watched(run(send('x'), performance.now() + 100))
    await advance(100)
    assert.ok(isLate(second.error))
    early.resolve([])
    await first
    await run()
    assert.deepEqual(log.slice(-5), ['3 begin', '3 x', `3 ${confirmed}`, '3 commit', '3 free'])
  })

  test('stays confirmed when a transaction that began before it commits later', async (t) => {
    withoutDelays(t)
    const early = Promise.withResolvers<object[]>()
    const { run, log } = scriptedDb({ y: [early.promise], commit: [coded(LOST)] })
    const first = run(send('y'))
    await whenIdle()
    await run()
    early.resolve([])
    await first
    const before = log.length
    await run()
    assert.deepEqual(log.slice(before), ['4 begin', '4 x', '4 commit', '4 free'])
  })
})

describe('a retry', () => {
  for (const [kind, code, delays, sentence, retryAfterS] of [
    ['conflict', CONFLICT, [5, 10, 20, 40, 80], 'other requests write the same records', 1],
    ['lock-wait', LOCK_WAIT, [5, 10], 'other requests have locked the same records', 1],
    ['lost', LOST, [50, 100, 200, 400, 800, 1600, 1600, 1600], 'the connection to the database was lost', 1],
    ['busy', '53300', [50, 100, 200, 400, 800, 1600, 1600, 1600], 'the database is busy', 2],
    ['timeout', TIMEOUT, [], 'database timeout', 1],
  ] as const) {
    test(`after ${kind} comes ${delays.length} times before a deadline in 7 s; then the caller gets the error`, async (t) => {
      const advance = stoppedClock(t)
      const { run, notes } = scriptedDb({ x: always(code) })
      const seen = watched(run(send('x'), performance.now() + 7_000))
      await advance(7_000)
      const { error } = seen
      assert.ok(error instanceof Unavailable)
      assert.deepEqual([error.message, error.retryAfterS], [sentence, retryAfterS])
      assert.equal((error.cause as { code?: string }).code, code)
      assert.deepEqual(
        notes,
        delays.map((delayMs, index) => ({ kind, failures: index + 1, delayMs, error: notes[index]!.error })),
      )
      for (const note of notes) assert.equal((note.error as { code?: string }).code, code)
    })
  }

  test('waits for its delay', async (t) => {
    const advance = stoppedClock(t)
    const { run, log } = scriptedDb({ x: [coded(LOST)] })
    const running = run()
    await advance(49)
    assert.ok(!log.includes('2 begin'))
    await advance(1)
    assert.ok(log.includes('2 begin'))
    await running
  })

  test('never starts at the deadline or after it', async (t) => {
    const advance = stoppedClock(t)
    for (const [leftMs, times] of [
      [50, 0],
      [51, 1],
    ] as const) {
      const { run, notes } = scriptedDb({ x: always(LOST) })
      const seen = watched(run(send('x'), performance.now() + leftMs))
      await advance(leftMs)
      assert.ok(seen.error instanceof Unavailable)
      assert.equal(notes.length, times)
    }
  })

  test('after a conflict comes at most 2 s after the first one', async (t) => {
    const advance = stoppedClock(t)
    for (const [busyMs, times] of [
      [1985, 2],
      [1986, 1],
    ] as const) {
      const slow = Promise.withResolvers<object[]>()
      const { run, notes } = scriptedDb({ x: [coded(CONFLICT), slow.promise] })
      const seen = watched(run())
      await advance(5 + busyMs)
      slow.reject(coded(CONFLICT))
      await advance(10)
      assert.equal(notes.length, times)
      assert.equal(times === 2, 'response' in seen)
    }
  })

  test('is counted by kind of failure', async (t) => {
    const advance = stoppedClock(t)
    const codes = [CONFLICT, LOCK_WAIT, CONFLICT, LOCK_WAIT]
    const { run, notes } = scriptedDb({ x: codes.map(coded) })
    const running = run()
    await advance(40)
    await running
    assert.deepEqual(
      notes.map(({ kind, failures, delayMs }) => [kind, failures, delayMs]),
      [
        ['conflict', 1, 5],
        ['lock-wait', 1, 5],
        ['conflict', 2, 10],
        ['lock-wait', 2, 10],
      ],
    )
  })

  test('works without a listener', async (t) => {
    withoutDelays(t)
    const { driver } = scriptedDb({ x: [coded(CONFLICT), [{ n: 1 }], coded('XX001')] })
    const db = createDb(driver)
    assert.deepEqual(await db.transaction(send('x'), soon()), [{ n: 1 }])
    await assert.rejects(db.transaction(send('x'), soon()), { code: 'XX001' })
  })
})

describe('a failure that is not retried', () => {
  test('errors in data and statements are thrown unchanged', async () => {
    for (const code of [DUPLICATE, OUR_FAULT]) {
      const { run, notes, fatal } = scriptedDb({ x: [coded(code)] })
      await assert.rejects(run(), { code })
      assert.deepEqual([notes, fatal], [[], []])
    }
  })

  test('a database that rejects us is an error for the operator', async () => {
    const refused = coded('28P01')
    const { run, notes } = scriptedDb({ session: [refused] })
    await assert.rejects(run(), (error) => {
      assert.ok(error instanceof OperatorError)
      assert.deepEqual(
        [error.message, error.cause],
        [
          'the database refused: as the server said: 28P01; check user and password in DATABASE_URL, or PGUSER and PGPASSWORD',
          refused,
        ],
      )
      return true
    })
    assert.deepEqual(notes, [])
  })

  test('corrupt data is reported, and the session is never used again', async () => {
    const damaged = coded('XX001')
    const { run, log, notes, fatal } = scriptedDb({ x: [damaged] })
    await assert.rejects(run(), (error) => error === damaged)
    assert.deepEqual([notes, fatal], [[], [damaged]])
    assert.equal(log.at(-1), '1 destroyed')
  })

  test('a full disk makes the service unready for 10 s, or until a transaction succeeds', async (t) => {
    const advance = stoppedClock(t)
    const { db, run } = scriptedDb({ x: [coded('53100'), coded('53100')] })
    assert.equal(db.healthy(), true)
    await assert.rejects(run(), { message: 'the database cannot write to its disk', retryAfterS: 10 })
    await db.read('y', [], soon())
    await advance(9_999)
    assert.equal(db.healthy(), false)
    await advance(1)
    assert.equal(db.healthy(), true)
    await assert.rejects(run(), Unavailable)
    assert.equal(db.healthy(), false)
    await run()
    assert.equal(db.healthy(), true)
  })

  test('other failures do not affect readiness', async () => {
    const { db, run } = scriptedDb({ x: [coded(DUPLICATE)] })
    await assert.rejects(run())
    assert.equal(db.healthy(), true)
  })
})

test('all connections to a server that has become read-only are dropped; other failures leave connections alone', async (t) => {
  withoutDelays(t)
  const replies = { x: [coded(CONFLICT), coded('25006'), coded(CONFLICT)] }
  let resets = 0
  const reset = () => {
    resets += 1
  }
  const { run } = scriptedDb(replies, { reset })
  await run()
  assert.equal(resets, 1)
  const { run: runWithout, log } = scriptedDb({ x: [coded('25006')] })
  await runWithout()
  assert.equal(log.at(-1), '2 free')
})

describe('slices', () => {
  const write = (tx: Tx, slice: string, position: number) =>
    tx.query(`${slice} ${position}`).then(() => slice + position)
  const lockAll = async (tx: Tx, attempt: number) => void (await tx.query(`lock ${attempt}`))

  test('together: one transaction takes the locks of all slices, and writes them in order', async (t) => {
    withoutDelays(t)
    const { db, log } = scriptedDb({ 'b 1': [coded(CONFLICT)] })
    assert.deepEqual(await db.inSlices(['a', 'b'], write, soon(), lockAll), ['a0', 'b1'])
    const failed = ['1 begin', '1 lock 1', '1 a 0', '1 b 1', '1 rollback', '1 free']
    assert.deepEqual(log, [...failed, '2 begin', '2 lock 2', '2 a 0', '2 b 1', '2 commit', '2 free'])
  })

  test('together: without anything to lock', async () => {
    const { db, log } = scriptedDb()
    assert.deepEqual(await db.inSlices(['a'], write, soon()), ['a0'])
    assert.deepEqual(log, ['1 begin', '1 a 0', '1 commit', '1 free'])
  })

  test('each: one transaction per slice, in order, and none after a failed one', async (t) => {
    withoutDelays(t)
    const { db, log } = scriptedDb({ 'b 1': [coded(CONFLICT), [], coded(DUPLICATE)] }, { sliceCommit: 'each' })
    assert.deepEqual(await db.inSlices(['a', 'b'], write, soon(), lockAll), ['a0', 'b1'])
    const second = ['2 begin', '2 b 1', '2 rollback', '2 free', '3 begin', '3 b 1', '3 commit', '3 free']
    assert.deepEqual(log, ['1 begin', '1 a 0', '1 commit', '1 free', ...second])
    await assert.rejects(db.inSlices(['a', 'b', 'c'], write, soon()), { code: DUPLICATE })
    assert.deepEqual(log.slice(-4), ['5 begin', '5 b 1', '5 rollback', '5 free'])
  })

  test('none: the database is not contacted', async () => {
    const { db, deadlines } = scriptedDb()
    assert.deepEqual(await db.inSlices([], write, soon(), lockAll), [])
    assert.deepEqual(deadlines, [])
  })

  test('none, after a COMMIT with an unknown outcome: waits for the standby once', async (t) => {
    const advance = stoppedClock(t)
    const { db, run, log } = scriptedDb({ commit: [coded(LOST)] })
    const seen = watched(run(send('x'), performance.now() + 50))
    await advance(0)
    assert.ok(seen.error instanceof Unavailable)
    const before = log.length
    assert.deepEqual(await db.inSlices([], write, soon()), [])
    const [begin, record, ...rest] = log.slice(before)
    assert.deepEqual([begin, ...rest], ['2 begin', '2 commit', '2 free'])
    assert.match(record!, /pg_logical_emit_message/)
    assert.deepEqual(await db.inSlices([], write, soon()), [])
    assert.equal(log.length, before + 4)
  })
})

test('a database reports the properties of its driver', async () => {
  const { db, log } = scriptedDb()
  assert.deepEqual(
    [db.driver, db.hasOtherWriters, db.copyRows, db.changeRows, db.memoryBytes(), db.sessionCounts()],
    ['postgres', true, 7, 3, 4096, { max: 2, used: 1, waiting: 0 }],
  )
  await db.close()
  assert.deepEqual(log, ['closed'])
})
