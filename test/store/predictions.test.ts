import assert from 'node:assert/strict'
import test from 'node:test'
import type { Db } from '../../src/database/db/transaction.ts'
import type { ErasureKey } from '../../src/ledger/erasures.ts'
import {
  deletePredictions,
  insertPredictions,
  type KeptPrediction,
  listLastPredictions,
} from '../../src/resources/prediction-log/store.ts'
import { forEachDatabase, type OpenTestDb } from '../support/databases.ts'

const soon = () => performance.now() + 60_000
const at = (second: number) => new Date(Date.UTC(2026, 5, 1, 12, 0, second)).toISOString()
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

let made = 0
const aPrediction = (parts: Partial<KeptPrediction> = {}): KeptPrediction => ({
  id: idOf(++made),
  userId: 'u-1',
  orderId: 'o-1',
  predictedAt: at(0),
  tokenId: '0123456789ab',
  points: 120n,
  referred: false,
  levelBefore: 'Bronze',
  levelAfter: 'Silver',
  programVersion: 1,
  orderDigest: '0123456789abcdef',
  playerDigest: '00'.repeat(8),
  pricesDigest: 'ff'.repeat(8),
  durationUs: 850,
  kept: 1,
  seen: 1,
  orderedAt: at(0),
  ...parts,
})

const NO_KEY: ErasureKey = { find: () => undefined, make: () => assert.fail() }

async function openMigrated(t: Parameters<OpenTestDb>[0], openTestDb: OpenTestDb) {
  const db = await openTestDb(t)
  return {
    db,
    insert: (...predictions: KeptPrediction[]) =>
      db.transaction((tx) => insertPredictions(tx, predictions, NO_KEY), soon()),
    last: (...orders: [userId: string, orderId: string, upTo: string][]) =>
      db.transaction(
        (tx) =>
          listLastPredictions(
            tx,
            orders.map(([userId, orderId, upTo]) => ({ userId, orderId, upTo })),
          ),
        soon(),
      ),
    remove: (before: string, rowsMax: number) => db.transaction((tx) => deletePredictions(tx, before, rowsMax), soon()),
  }
}

const count = async (db: Db) =>
  (await db.read<{ n: number }>('select count(*) as n from predictions', [], soon()))[0]!.n

forEachDatabase((_, openTestDb) => {
  test('a prediction is read back as written, and writing it again adds none', async (t) => {
    const { db, insert } = await openMigrated(t, openTestDb)
    const one = aPrediction({ userId: 'ü {,"}', points: 9007199254740993n, referred: true, kept: 200, seen: 5_000 })
    await insert()
    await insert(one, aPrediction())
    await insert(one)
    assert.equal(await count(db), 2)
    const sql = `select to_jsonb(p) - 'points' || jsonb_build_object('points', points::text) as kept
      from predictions p where prediction_id = '${one.id}'`
    assert.deepEqual(await db.read(sql, [], soon()), [
      {
        kept: {
          user_id: 'ü {,"}',
          order_id: 'o-1',
          predicted_at: '2026-06-01T12:00:00+00:00',
          prediction_id: one.id,
          token_id: '0123456789ab',
          points: '9007199254740993',
          referred: true,
          level_before: 'Bronze',
          level_after: 'Silver',
          program_version: 1,
          order_digest: '\\x0123456789abcdef',
          player_digest: '\\x0000000000000000',
          prices_digest: '\\xffffffffffffffff',
          duration_us: 850,
          kept: 200,
          seen: 5_000,
          ordered_at: '2026-06-01T12:00:00+00:00',
        },
      },
    ])
  })

  test('the last prediction of each order before its time is found, and none of another player', async (t) => {
    const { insert, last } = await openMigrated(t, openTestDb)
    await insert(
      aPrediction({ predictedAt: at(1), points: 1n }),
      aPrediction({ predictedAt: at(3), points: 3n, levelAfter: 'Gold' }),
      aPrediction({ predictedAt: at(2), points: 2n }),
      aPrediction({ predictedAt: at(9), points: 9n }),
      aPrediction({ userId: 'u-2', predictedAt: at(3), points: 99n }),
      aPrediction({ orderId: 'o-2', predictedAt: at(3), points: 22n }),
    )
    const found = await last(
      ['u-1', 'o-1', at(3)],
      ['u-3', 'o-1', at(3)],
      ['u-1', 'o-1', at(2)],
      ['u-1', 'o-1', at(0)],
      ['u-1', 'o-2', at(8)],
      ['u-1', 'o-1', at(3)],
    )
    const prediction = (points: bigint, levelAfter: string) => ({
      points,
      levelAfter,
      referred: false,
      program: 1,
      at: at(0),
      digests: { order: '0123456789abcdef', player: '00'.repeat(8), prices: 'ff'.repeat(8) },
    })
    assert.deepEqual(found, [
      prediction(3n, 'Gold'),
      undefined,
      prediction(2n, 'Silver'),
      undefined,
      prediction(22n, 'Silver'),
      prediction(3n, 'Gold'),
    ])
    assert.deepEqual(await last(), [])
  })

  test('only old predictions are deleted, in slices, the oldest first', async (t) => {
    const { db, insert, remove } = await openMigrated(t, openTestDb)
    await insert(...[5, 1, 4, 2, 3, 6].map((second) => aPrediction({ predictedAt: at(second) })))
    assert.equal(await remove(at(5), 3), 3)
    const left = 'select extract(second from predicted_at)::int as second from predictions order by 1'
    assert.deepEqual(await db.read(left, [], soon()), [{ second: 4 }, { second: 5 }, { second: 6 }])
    assert.equal(await remove(at(5), 3), 1)
    assert.equal(await remove(at(5), 3), 0)
    assert.equal(await count(db), 2)
  })

  test('two services that delete concurrently both finish, and everything old is gone', async (t) => {
    const { db, insert, remove } = await openMigrated(t, openTestDb)
    await insert(...Array.from({ length: 400 }, (_, index) => aPrediction({ predictedAt: at(index % 50) })))
    const deleted = await Promise.all(Array.from({ length: 8 }, () => remove(at(60), 100)))
    assert.ok(deleted.every((rows) => rows <= 100))
    while ((await remove(at(60), 100)) > 0);
    assert.equal(await count(db), 0)
  })
})
