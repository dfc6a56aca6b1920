import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Db } from '../../src/database/db/transaction.ts'
import { verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import { forEachDatabase } from '../support/databases.ts'
import { asFarAsThen, inTodaysWords } from '../support/former-responses.ts'
import { openAppOn } from '../support/test-app.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Rows and responses of the service at commit 2c9f149, the last before points had dates: orders under two programs without `points` and `redeem`,
 * returned, moved and referred ones, an adjustment, an imported balance.
 */
const BEFORE = JSON.parse(
  readFileSync(new URL('data/before-days-of-points.json', import.meta.url), 'utf8'),
) as Readonly<{
  now: string
  tables: Readonly<Record<string, readonly Row[]>>
  answers: readonly Readonly<{ method: string; path: string; data?: object; status: number; text: string }>[]
}>

async function load(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [table, rows] of Object.entries(BEFORE.tables)) {
      const columns = Object.keys(rows[0]!).join()
      const values = `select ${columns} from json_populate_recordset(null::${table}, $1::text::json)`
      await tx.query(`insert into ${table} (${columns}) ${values}`, [JSON.stringify(rows)])
    }
  }, performance.now() + 60_000)
}

function linesOf(text: string): object[] {
  const { lines } = JSON.parse(text) as { lines: (object & { quality?: string; as_of?: string })[] }
  return lines.map(({ quality: _, as_of: __, ...line }) => line)
}

forEachDatabase((_, openTestDb) => {
  test('a shop whose programs have neither points nor redeem gets the same answers, byte for byte, as before those existed (decision 138)', async (t) => {
    const open = async () => {
      const db = await openTestDb(t)
      await load(db)
      return db
    }
    const app = await openAppOn(t, open, { now: () => new Date(BEFORE.now) })
    for (const { method, path, data, status, text } of BEFORE.answers) {
      const answered = await app.ask(method, path, data === undefined ? {} : { body: { data } })
      assert.equal(answered.status, status, `${method} ${path}`)
      // The envelope of statistics has changed since, for other reasons; the counts are the same.
      const shown = path.startsWith('/api/admin/statistics/') ? linesOf : (one: string) => one
      const [today, then] = [inTodaysWords(answered.text), inTodaysWords(text)]
      assert.deepEqual(shown(asFarAsThen(today, then)), shown(then), `${method} ${path}`)
    }
    const { differing, differences } = await verifyLedger(app.service.db, () => undefined)
    assert.deepEqual([differing, differences], [0, []])
  })
})
