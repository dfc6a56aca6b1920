import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { forEachDatabase, type OpenTestDb, openTestPglite } from '../../../test/support/databases.ts'
import type { OrderOutcome } from '../../deps.ts'
import { type Order, type Prediction, UNKNOWN_PLAYER } from '../../engine/points/model.ts'
import type { Observation } from '../../telemetry/observation.ts'
import { COMPARE_AFTER_MS, OUTCOMES_MAX } from './comparisons.ts'
import { openPredictionLog, SAMPLE_MAX, UNWRITTEN_MAX } from './prediction-log.ts'

const START_MS = Date.UTC(2026, 5, 1, 12)
const DAY_MS = 86_400_000
const KEY = Buffer.from('the key of these tests')
const soon = () => performance.now() + 20_000

/** A log on an empty database, with a clock and random numbers controlled by the test. */
async function openLog(t: TestContext, openTestDb: OpenTestDb = openTestPglite, keptDays = 90) {
  const db = await openTestDb(t)
  const observations: Observation[] = []
  const clock = { ms: START_MS }
  const counted: Record<string, { n: number; points: bigint }> = {}
  const log = openPredictionLog({
    db,
    now: () => new Date(clock.ms),
    observe: (observation) => observations.push(observation),
    count: ({ measure, key, n, points }) => {
      const line = `${measure} ${key}`.trim()
      counted[line] = { n: (counted[line]?.n ?? 0) + n, points: (counted[line]?.points ?? 0n) + points }
    },
    erasureKey: { find: () => KEY, make: () => KEY },
    keptDays,
    random: seeded(),
  })
  const sumOf = (kind: Observation['kind']) => {
    const sums: Record<string, number> = {}
    for (const { kind: _, ...counts } of observations.filter((one) => one.kind === kind))
      for (const [name, value] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + Number(value)
    return sums
  }
  return {
    log,
    clock,
    observations,
    counted,
    kept: () => sumOf('predictions-kept'),
    compared: () => sumOf('predictions-compared'),
    script: (sql: string) => db.transaction((tx) => tx.script(sql), soon()),
    query: (sql: string) => db.read<Record<string, unknown>>(sql, [], soon()),
  }
}

/** Random numbers that are the same in every run. */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const order: Order = {
  id: 'o-1',
  at: '2026-06-01T12:00:00.000Z',
  userId: 'u-1',
  lines: [],
  total: 0n,
  discount: 0n,
  referralCode: '',
  subscriptPoints: false,
  status: 'placed',
}

const prediction: Prediction = {
  points: 120n,
  earned: [],
  notApplied: [],
  rounding: { num: 0n, den: 1n },
  level: { before: 'Bronze', after: 'Silver', upgraded: true, lowered: false, levelPoints: 120n },
  notes: [],
  program: { version: 1, name: 'Starter' },
}

const answered = (id: string, points = 120n) => ({
  tokenId: '0123456789ab',
  order: { ...order, id },
  player: UNKNOWN_PLAYER,
  prices: new Map(),
  prediction: { ...prediction, points },
  durationMs: 0.8504,
})

const outcome = (orderId: string, parts: Partial<OrderOutcome> = {}): OrderOutcome => ({
  userId: 'u-1',
  orderId,
  points: 120n,
  levelAfter: 'Silver',
  referred: false,
  program: 1,
  at: order.at,
  levelPoints: 0n,
  recordedAt: new Date(START_MS + 1_000).toISOString(),
  ...parts,
})

const broken = (state: string) => `
  create or replace function broken() returns trigger language plpgsql as
    $$ begin raise exception 'broken for a test' using errcode = '${state}'; end $$;
  create or replace trigger broken before insert on predictions execute function broken()`

describe('the sample of a second', () => {
  test('up to 200 predictions are all kept, beyond that exactly 200, and every row says out of how many', async (t) => {
    const { log, clock, kept, query } = await openLog(t)
    for (const count of [1, SAMPLE_MAX, SAMPLE_MAX + 1, 5_000]) {
      for (let index = 0; index < count; index += 1) log.keep(answered(`o-${index}`))
      clock.ms += 1_000
    }
    for (let flush = 0; flush < 3; flush += 1) await log.flush()
    const shares = 'select kept, seen, count(*) as rows from predictions group by kept, seen order by seen'
    assert.deepEqual(await query(shares), [
      { kept: 1, seen: 1, rows: 1 },
      { kept: 200, seen: 200, rows: 200 },
      { kept: 200, seen: 201, rows: 200 },
      { kept: 200, seen: 5_000, rows: 200 },
    ])
    assert.deepEqual(kept(), { kept: 601, leftOut: 4_801, dropped: 0 })
  })

  test('for a snapshot everything is written at once, and the rest of the second is a sample of its own', async (t) => {
    const { log, kept, query } = await openLog(t)
    for (let index = 0; index < 300; index += 1) log.keep(answered(`o-${index}`))
    await log.flushAll()
    log.keep(answered('o-300'))
    await log.flushAll()
    await log.flushAll()
    const shares = 'select kept, seen, count(*) as rows from predictions group by kept, seen order by seen'
    assert.deepEqual(await query(shares), [
      { kept: 1, seen: 1, rows: 1 },
      { kept: 200, seen: 300, rows: 200 },
    ])
    assert.deepEqual(kept(), { kept: 201, leftOut: 100, dropped: 0 })
  })

  test('every prediction of a second has the same chance of being kept', async (t) => {
    const { log, clock, query } = await openLog(t)
    for (let second = 0; second < 20; second += 1) {
      for (let place = 0n; place < 2_000n; place += 1n) log.keep(answered('o-1', place))
      clock.ms += 1_000
      await log.flush()
    }
    const tenths = await query('select points / 200 as tenth, count(*) as rows from predictions group by 1 order by 1')
    assert.equal(tenths.length, 10)
    // 400 are expected in each, with a standard deviation of 19; the bound is five times that.
    for (const { tenth, rows } of tenths) assert.ok(Math.abs(Number(rows) - 400) < 95, `tenth ${tenth}: ${rows}`)
  })

  test('a second is written only once it is over, so that no second has two samples', async (t) => {
    const { log, clock, query } = await openLog(t)
    log.keep(answered('o-1'))
    clock.ms += 999
    await log.flush()
    log.keep(answered('o-2'))
    assert.deepEqual(await query('select order_id from predictions'), [])
    clock.ms += 1
    await log.flush()
    assert.deepEqual(await query('select order_id, seen from predictions order by 1'), [
      { order_id: 'o-1', seen: 2 },
      { order_id: 'o-2', seen: 2 },
    ])
  })
})

forEachDatabase((_, openTestDb) => {
  test('while the database fails, a bounded number of the newest predictions wait and dropped ones are counted; after recovery all waiting ones are written', async (t) => {
    const { log, clock, kept, script, query } = await openLog(t, openTestDb)
    await script(broken('53100'))
    for (let second = 0; second < UNWRITTEN_MAX / SAMPLE_MAX + 10; second += 1) {
      for (let index = 0; index < SAMPLE_MAX; index += 1) log.keep(answered(`o-${second}`))
      clock.ms += 1_000
      if (second % 20 === 0) await assert.rejects(log.flush(), { name: 'Error', message: /cannot write to its disk/ })
    }
    await script('drop trigger broken on predictions')
    for (let flush = 0; flush < UNWRITTEN_MAX / 500; flush += 1) await log.flush()
    assert.deepEqual(kept(), { kept: UNWRITTEN_MAX, leftOut: 0, dropped: 10 * SAMPLE_MAX })
    const [row] = await query(
      "select count(*) as rows, min(split_part(order_id, '-', 2)::int) as oldest from predictions",
    )
    assert.deepEqual(row, { rows: UNWRITTEN_MAX, oldest: 10 })
  })

  test('a prediction that the database can never accept is dropped and counted, and does not hold up those after it', async (t) => {
    const { log, clock, kept, script, query } = await openLog(t, openTestDb)
    await script(broken('22000'))
    log.keep(answered('o-1'))
    clock.ms += 1_000
    await assert.rejects(log.flush(), { code: '22000' })
    await script('drop trigger broken on predictions')
    log.keep(answered('o-2'))
    clock.ms += 1_000
    await log.flush()
    assert.deepEqual(await query('select order_id from predictions'), [{ order_id: 'o-2' }])
    assert.deepEqual(kept(), { kept: 1, leftOut: 0, dropped: 1 })
  })

  test('a recorded order is compared with the last prediction before it, once every replica has written its predictions', async (t) => {
    const { log, clock, compared, observations } = await openLog(t, openTestDb)
    for (const id of ['true', 'points', 'level', 'later']) log.keep(answered(id, 7n))
    clock.ms += 500
    for (const id of ['true', 'points', 'level']) log.keep(answered(id))
    clock.ms += 500
    log.compare([
      outcome('true'),
      outcome('points', { points: 119n }),
      outcome('level', { levelAfter: 'Bronze' }),
      outcome('later', { points: 7n }),
      outcome('never'),
      outcome('true', { userId: 'u-2' }),
    ])
    clock.ms += 1
    log.keep(answered('later'))
    clock.ms += COMPARE_AFTER_MS - 2
    await log.flush()
    assert.deepEqual(compared(), {})
    clock.ms += 1
    await log.flush()
    assert.deepEqual(compared(), { cameTrue: 2, differed: 2, noneKept: 2, notCompared: 0 })
    await log.flush()
    assert.equal(observations.filter(({ kind }) => kind === 'predictions-compared').length, 1)
  })

  test('predictions are deleted once they are too old, and not before', async (t) => {
    const { log, clock, script, query } = await openLog(t, openTestDb)
    log.keep(answered('young'))
    clock.ms += 1_000
    await log.flush()
    // More than one slice.
    await script(`insert into predictions select user_id, 'old', predicted_at - interval '1 ms' * n, gen_random_uuid(), token_id,
      points, referred, level_before, level_after, program_version, order_digest, player_digest, prices_digest, duration_us, kept, seen
      from predictions, generate_series(1, 1200) as n`)
    const left = 'select order_id, count(*) as rows from predictions group by 1 order by 1'
    clock.ms = START_MS + 90 * DAY_MS - 1_200
    await log.sweep()
    assert.deepEqual(await query(left), [
      { order_id: 'old', rows: 1_200 },
      { order_id: 'young', rows: 1 },
    ])
    clock.ms = START_MS + 90 * DAY_MS
    await log.sweep()
    assert.deepEqual(await query(left), [{ order_id: 'young', rows: 1 }])
  })
})

test('a bounded number of outcomes wait; those beyond it are counted and not compared', async (t) => {
  const { log, clock, compared } = await openLog(t)
  log.compare(Array.from({ length: OUTCOMES_MAX + 5 }, (_, index) => outcome(`o-${index}`)))
  log.compare([outcome('one-more')])
  assert.deepEqual(compared(), { cameTrue: 0, differed: 0, noneKept: 0, notCompared: 6 })
  clock.ms += COMPARE_AFTER_MS
  for (let flush = 0; flush < OUTCOMES_MAX / 500; flush += 1) await log.flush()
  assert.deepEqual(compared(), { cameTrue: 0, differed: 0, noneKept: OUTCOMES_MAX, notCompared: 6 })
})

test('outcomes wait while the database fails, as predictions do', async (t) => {
  const { log, clock, compared, script } = await openLog(t)
  log.keep(answered('o-1'))
  clock.ms += 1_000
  log.compare([outcome('o-1')])
  clock.ms += COMPARE_AFTER_MS
  await script(broken('53100'))
  await assert.rejects(log.flush())
  assert.deepEqual(compared(), {})
  await script('drop trigger broken on predictions')
  await log.flush()
  assert.equal(compared().cameTrue, 1)
})

test('closing writes everything added, including the current second, and gives up if the database fails', async (t) => {
  const { log, clock, kept, query, script, observations } = await openLog(t)
  for (let index = 0; index < 3 * SAMPLE_MAX; index += 1) {
    log.keep(answered(`o-${index}`))
    if (index % SAMPLE_MAX === SAMPLE_MAX - 1) clock.ms += 1_000
  }
  log.keep(answered('last'))
  await log.close()
  assert.deepEqual(await query('select count(*) as rows from predictions'), [{ rows: 601 }])
  assert.deepEqual(kept(), { kept: 601, leftOut: 0, dropped: 0 })
  await script(broken('53100'))
  log.keep(answered('o-1'))
  await log.close()
  assert.deepEqual(
    observations.filter((one) => one.kind === 'prediction-log-failed').map(({ step }) => step),
    ['close'],
  )
})

test('with PREDICTIONS_RETENTION_DAYS=0 no predictions are kept, and earlier ones are deleted', async (t) => {
  const { log, clock, script, query, observations } = await openLog(t, openTestPglite, 0)
  await script(`insert into predictions values
    ('u-1', 'o-1', '${new Date(START_MS).toISOString()}', gen_random_uuid(), 'a', 1, false, 'A', 'A', 1, '', '', '', 1, 1, 1)`)
  log.keep(answered('o-1'))
  log.compare([outcome('o-1')])
  clock.ms += COMPARE_AFTER_MS + 1_000
  await log.flush()
  await log.sweep()
  assert.deepEqual(await query('select order_id from predictions'), [])
  assert.deepEqual(observations, [])
})
