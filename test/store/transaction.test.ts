import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db, DbOptions, RetryNote, Tx } from '../../src/database/db/transaction.ts'
import { Unavailable } from '../../src/errors.ts'
import { forEachDatabase, openTestPostgres } from '../support/databases.ts'

const soon = (ms = 60_000) => performance.now() + ms
const upsert = (tx: Tx, id: string, n: number) =>
  tx.query('insert into notes (id, n) values ($1, $2) on conflict (id) do update set n = excluded.n', [id, n])

async function makeNotes(db: Db, ids: readonly string[] = []): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.script('create table notes (id text primary key, n bigint)')
    for (const id of ids) await upsert(tx, id, 0)
  }, soon())
}

async function notesOf(db: Db): Promise<Record<string, number>> {
  const rows = await db.read<{ id: string; n: number }>('select id, n from notes order by id', [], soon())
  return Object.fromEntries(rows.map(({ id, n }) => [id, n]))
}

function listening(): { notes: RetryNote[]; options: DbOptions } {
  const notes: RetryNote[] = []
  return { notes, options: { onRetry: (note) => notes.push(note) } }
}

/** A barrier for two: each call waits for the other. */
function barrier(): () => Promise<void> {
  const both = Promise.withResolvers<void>()
  let waiting = 0
  return async () => {
    waiting += 1
    if (waiting === 2) both.resolve()
    await both.promise
  }
}

const raising = (state: string) => `do $$ begin raise exception 'as if' using errcode = '${state}'; end $$`

forEachDatabase((driver, openTestDb) => {
  test('a transaction returns what its work returned, and is visible to others', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db)
    assert.equal(db.driver, driver)
    assert.equal(await db.transaction((tx) => upsert(tx, 'a', 1).then(() => 'done'), soon()), 'done')
    assert.deepEqual(await notesOf(db), { a: 1 })
  })

  test('work that throws leaves nothing behind, its error is thrown unchanged, and the session remains usable', async (t) => {
    const { notes, options } = listening()
    const db = await openTestDb(t, options)
    await makeNotes(db)
    const fault = new Error('our own')
    const failing = async (tx: Tx) => {
      await upsert(tx, 'a', 1)
      throw fault
    }
    await assert.rejects(db.transaction(failing, soon()), (error) => error === fault)
    assert.deepEqual(await notesOf(db), {})
    assert.deepEqual(notes, [])
  })

  test('a statement that failed fails the transaction, even when the work catches its error', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db, ['a'])
    const swallowing = async (tx: Tx) => {
      await upsert(tx, 'b', 1)
      await tx.query("insert into notes values ('a', 1)").catch(() => undefined)
    }
    await assert.rejects(db.transaction(swallowing, soon()), { code: '23505' })
    assert.deepEqual(await notesOf(db), { a: 0 })
  })

  test('a part that fails within a savepoint is undone alone', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db, ['a'])
    const trying = async (tx: Tx) => {
      await upsert(tx, 'b', 1)
      const part = tx.savepoint(async (inner) => {
        await upsert(inner, 'c', 1)
        await inner.batch([{ sql: 'copy notes (id, n) from stdin', rows: 'd\t1\na\t2\n' }])
      })
      await assert.rejects(part, { code: '23505' })
      await tx.savepoint((inner) => inner.batch([{ sql: 'copy notes (id, n) from stdin', rows: 'e\t5\n' }]))
      return 'done'
    }
    assert.equal(await db.transaction(trying, soon()), 'done')
    assert.deepEqual(await notesOf(db), { a: 0, b: 1, e: 5 })
  })

  test('steps run in order until one fails, which is reported, and a batch of the same statements runs again after it', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db, ['a'])
    const insert = (id: string, n: number) => ({ sql: 'insert into notes (id, n) values ($1, $2)', params: [id, n] })
    const double = { sql: 'update notes set n = 2 * n where id = any($1)', params: [['b', 'c,"', 'd']] }
    const copy = (...rows: string[]) => ({ sql: 'copy notes (id, n) from stdin', rows: rows.join('') })
    const run = (...steps: Parameters<Tx['batch']>[0]) => db.transaction((tx) => tx.batch(steps), soon())
    for (let again = 0; again < 3; again += 1)
      await assert.rejects(run(double, insert('a', 1), copy('x\ty\n')), { code: '23505' })
    const prepared = 'select count(*)::int as n from pg_prepared_statements where statement = $1'
    const [kept] = await db.read<{ n: number }>(prepared, [insert('a', 1).sql], soon())
    assert(kept!.n <= 1, 'each failure leaves a prepared statement')
    await assert.rejects(run(insert('b', 1), insert('a', 1), copy('x\ty\n')), { code: '23505' })
    await assert.rejects(run(copy('b\t1\n', 'x\ty\n'), insert('a', 1)), { code: '22P02' })
    await assert.rejects(run(copy('b\t1\n', 'a\t1\n'), double), { code: '23505' })
    assert.deepEqual(await notesOf(db), { a: 0 })
    await run(insert('b', 1), copy('c,"\t3\n', 'd\t4\n'), double, insert('e', 9))
    assert.deepEqual(await notesOf(db), { a: 0, b: 2, 'c,"': 6, d: 8, e: 9 })
  })

  test('a claim that writes fewer rows than it claims, or one that exists, is lost to another request, and the work runs again', async (t) => {
    const { notes, options } = listening()
    const db = await openTestDb(t, options)
    await makeNotes(db, ['a'])
    const sql = 'insert into notes (id, n) select unnest($1::text[]), 1 on conflict do nothing'
    const claims = [
      { sql, params: [['a', 'b']], claim: { rows: 2, lost: 'another request has inserted a' } },
      { sql: 'copy notes from stdin', rows: 'a\t1\n', claim: { rows: 1, lost: 'another request has inserted a' } },
    ]
    for (const claim of claims) {
      notes.length = 0
      // What the steps after it report is not the reason.
      const failing = { sql: "insert into notes values ('a', 1)" }
      const work = (tx: Tx, attempt: number) => tx.batch(attempt === 1 ? [claim, failing] : [])
      await db.transaction(work, soon())
      assert.deepEqual(
        notes.map(({ kind, error }) => [kind, (error as Error).message]),
        [['conflict', 'another request has inserted a']],
      )
    }
    assert.deepEqual(await notesOf(db), { a: 0 })
  })

  test('a part that fails undoes everything in it, also what was done before a part of its own that failed', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db, ['a'])
    const duplicate = (tx: Tx) => tx.query("insert into notes values ('a', 1)")
    const failing = async (outer: Tx) => {
      await upsert(outer, 'b', 1)
      await assert.rejects(outer.savepoint(duplicate), { code: '23505' })
      await duplicate(outer)
    }
    await db.transaction(async (tx) => {
      await upsert(tx, 'c', 1)
      await assert.rejects(tx.savepoint(failing), { code: '23505' })
    }, soon())
    assert.deepEqual(await notesOf(db), { a: 0, c: 1 })
  })

  test('errors in data and in statements are never retried', async (t) => {
    const { notes, options } = listening()
    const db = await openTestDb(t, options)
    await makeNotes(db, ['a'])
    const cases = [
      ["insert into notes values ('a', 1)", '23505'],
      ["select 'x'::int as x", '22P02'],
      ['select 1 from missing', '42P01'],
      ["insert into notes values ('b', 1), ('b', 2) on conflict (id) do update set n = 1", '21000'],
    ] as const
    for (const [sql, code] of cases)
      await assert.rejects(
        db.transaction((tx) => tx.query(sql), soon()),
        { code },
      )
    await assert.rejects(db.read('select 1 from missing', [], soon()), { code: '42P01' })
    assert.deepEqual(notes, [])
  })

  test('the stack of a failed statement names its caller', async (t) => {
    const db = await openTestDb(t)
    const sql = 'select 1 from missing'
    const read = async () => await db.read(sql, [], soon())
    const works: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
      query: async (tx) => await tx.query(`${sql} where id = $1`, [1]),
      queryInPart: async (tx) => await tx.savepoint((part) => part.query(sql)),
      queryTooLarge: async (tx) => await tx.query('select 9007199254740993 as n'),
      script: async (tx) => await tx.script(sql),
      copy: async (tx) => await tx.batch([{ sql: 'copy missing from stdin', rows: '1\n' }]),
    }
    async function assertNames(caller: string, running: Promise<unknown>): Promise<void> {
      const error: Error = await running.then(
        () => assert.fail(caller),
        (thrown) => thrown,
      )
      assert.match(error.message, /"missing" does not exist|the safe integers/, caller)
      assert.match(error.stack!, new RegExp(`^ +at async .*\\b${caller} .*transaction\\.test\\.ts`, 'm'))
    }
    await assertNames('read', read())
    for (const [name, work] of Object.entries(works)) await assertNames(name, db.transaction(work, soon()))
  })

  test('work that outlives its deadline is refused in time, cannot commit late, and affects no later work', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db)
    const deadlines = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const slow = async (tx: Tx) => {
      await upsert(tx, 'late', 1)
      await deadlines.promise
      await upsert(tx, 'later', 1).catch(late.resolve)
    }
    const slowAtTheEnd = async (tx: Tx) => {
      await upsert(tx, 'late too', 1)
      await deadlines.promise
    }
    await assert.rejects(db.transaction(slowAtTheEnd, soon(500)), Unavailable)
    await assert.rejects(db.transaction(slow, soon(500)), Unavailable)
    deadlines.resolve()
    await db.transaction((tx) => upsert(tx, 'next', 1), soon())
    assert.match(String(await late.promise), /this transaction has ended/)
    assert.deepEqual(await notesOf(db), { next: 1 })
  })

  test('work past its deadline is refused, and a distant deadline is no limit', async (t) => {
    const db = await openTestDb(t)
    await assert.rejects(db.read('select 1 as one', [], performance.now() - 1), Unavailable)
    assert.deepEqual(await db.read('select 1 as one', [], Number.POSITIVE_INFINITY), [{ one: 1 }])
  })

  test('slices answer in order; those before a failed one stay written only if each slice is committed separately (43)', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db)
    const write = async (tx: Tx, id: string, position: number) => {
      await upsert(tx, id, position)
      return `${id}${position}`
    }
    assert.deepEqual(await db.inSlices(['a', 'b'], write, soon()), ['a0', 'b1'])
    assert.deepEqual(await db.inSlices([], write, soon()), [])
    const failing = async (tx: Tx, id: string, position: number) => {
      if (id === 'd') throw new Error('no d')
      return await write(tx, id, position)
    }
    await assert.rejects(db.inSlices(['c', 'd', 'e'], failing, soon()), /no d/)
    assert.deepEqual(await notesOf(db), driver === 'pglite' ? { a: 0, b: 1, c: 0 } : { a: 0, b: 1 })
  })

  test('work that runs again knows which attempt it is, and so does the locking for all slices', async (t) => {
    const db = await openTestDb(t)
    await makeNotes(db)
    const failTwice = async (tx: Tx, attempt: number) => {
      if (attempt < 3) await tx.script(raising('40001'))
      return attempt
    }
    assert.equal(await db.transaction(failTwice, soon()), 3)
    const locks: number[] = []
    const lockAll = async (tx: Tx, attempt: number) => {
      locks.push(attempt)
      await failTwice(tx, attempt)
    }
    await db.inSlices(['a', 'b'], (tx, id) => upsert(tx, id, 1), soon(), lockAll)
    assert.deepEqual(locks, db.hasOtherWriters ? [1, 2, 3] : [])
    assert.deepEqual(await notesOf(db), { a: 1, b: 1 })
  })

  test('a full disk is not retried, and makes the service unready until a transaction succeeds', async (t) => {
    const { notes, options } = listening()
    const db = await openTestDb(t, options)
    for (const state of ['53100', '58030']) {
      const failing = db.transaction((tx) => tx.script(raising(state)), soon())
      await assert.rejects(failing, (error) => error instanceof Unavailable && error.retryAfterS === 10)
      assert.equal(db.healthy(), false)
      await db.transaction((tx) => tx.query('select 1 as one'), soon())
      assert.equal(db.healthy(), true)
    }
    assert.deepEqual(notes, [])
  })

  test('a conflict is retried at most 5 times, and a lock wait twice', async (t) => {
    const { notes, options } = listening()
    const db = await openTestDb(t, options)
    for (const [state, times] of [
      ['40001', 5],
      ['55P03', 2],
    ] as const) {
      notes.length = 0
      await assert.rejects(
        db.transaction((tx) => tx.script(raising(state)), soon()),
        Unavailable,
      )
      assert.equal(notes.length, times)
    }
  })
})

describe('several sessions', () => {
  test('two transactions that deadlock both succeed', async (t) => {
    const { notes, options } = listening()
    const db = await openTestPostgres(t, options)
    await makeNotes(db, ['a', 'b'])
    const bothHold = barrier()
    const inOrder = (first: string, second: string, n: number) =>
      db.transaction(async (tx) => {
        await upsert(tx, first, n)
        await bothHold()
        await upsert(tx, second, n)
      }, soon())
    await Promise.all([inOrder('a', 'b', 1), inOrder('b', 'a', 2)])
    const after = await notesOf(db)
    assert.equal(after.a, after.b)
    assert.deepEqual(
      notes.map(({ kind, failures }) => [kind, failures]),
      [['conflict', 1]],
    )
  })

  test('a serialization failure, at a statement or at COMMIT, is retried', async (t) => {
    const { notes, options } = listening()
    const db = await openTestPostgres(t, options)
    await makeNotes(db, ['a', 'b'])
    const bothHaveRead = barrier()
    // Write skew: each writes what the other has read. No serial order is possible, so one must be aborted.
    const skewed = (write: string) =>
      db.transaction(async (tx) => {
        await tx.query('set transaction isolation level serializable')
        const [sum] = await tx.query<{ sum: number }>('select sum(n)::bigint as sum from notes')
        await bothHaveRead()
        await upsert(tx, write, sum!.sum + 1)
      }, soon())
    await Promise.all([skewed('a'), skewed('b')])
    assert.deepEqual(Object.values(await notesOf(db)).sort(), [1, 2])
    assert.ok(notes.length >= 1 && notes.every(({ kind }) => kind === 'conflict'))
  })

  test('transactions that write the same record at once all succeed', async (t) => {
    const db = await openTestPostgres(t)
    await makeNotes(db, ['a'])
    const add = async (tx: Tx) => {
      await tx.query("update notes set n = n + 1 where id = 'a'")
    }
    await Promise.all(Array.from({ length: 40 }, () => db.transaction(add, soon())))
    assert.deepEqual(await notesOf(db), { a: 40 })
  })
})
