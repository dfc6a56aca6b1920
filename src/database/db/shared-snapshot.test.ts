import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestPostgres } from '../../../test/support/databases.ts'
import { Unavailable } from '../../errors.ts'
import type { Queryable } from './driver.ts'
import { takeSnapshot } from './shared-snapshot.ts'

/** Ends the sessions that keep writers out. */
const endLockingSql = `
  select count(pg_terminate_backend(pid))::int as ended
  from pg_locks
  where database = (select oid from pg_database where datname = current_database())
    and relation = 'products'::regclass and mode = 'ShareLock' and granted`

const soon = () => performance.now() + 30_000

test('on a cluster, a snapshot is refused if writers were not kept out until all servers had taken theirs', async (t) => {
  const db = { ...(await openTestPostgres(t)), isCluster: () => true }
  let ended = 0
  const taken = db.transaction(async (tx) => {
    const slow: Queryable = {
      async query<Row extends object>(sql: string, params?: readonly unknown[]) {
        const isOpening = sql.includes('from order_owners')
        const rows = await tx.query<Row>(sql, params)
        if (isOpening && ended === 0) ended = (await db.read<{ ended: number }>(endLockingSql, [], soon()))[0]!.ended
        return rows
      },
    }
    await takeSnapshot(slow, db)
  }, soon())
  await assert.rejects(taken, new Unavailable('the connection was lost: try again'))
  assert.equal(ended, 1)
})
