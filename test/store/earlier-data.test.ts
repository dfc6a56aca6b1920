import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { readSchemaText } from '../../scripts/schema-text.ts'
import { readerOf } from '../../src/database/db/reader.ts'
import { createDb, type Db } from '../../src/database/db/transaction.ts'
import { openPglite } from '../../src/database/embedded/driver.ts'
import { unpackDatabase } from '../../src/database/embedded/fresh-database.ts'
import { foldAccounts } from '../../src/resources/statistics/fold-accounts.ts'
import { ledgerDocumentOf, verifyLedger } from '../../src/resources/verification/verify-ledger.ts'
import type { Question } from '../fixtures/6168b5d/questions.ts'
import { anOrder } from '../support/builders.ts'
import { emptyTestDatabase, openOnServer } from '../support/databases.ts'
import { asFarAsThen, inTodaysWords } from '../support/former-responses.ts'
import { migrationFiles } from '../support/installed-code.ts'
import { runOnce } from '../support/postgres-server.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openAppOn, send, type TestApp } from '../support/test-app.ts'

type Answered = Question & Readonly<{ status: number; text: string; postgres?: string }>

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/6168b5d', name)
const [head, ...answered] = readFileSync(fixture('expected.ndjson'), 'utf8').trimEnd().split('\n')
const { asked_at, verified }: { asked_at: string; verified: object } = JSON.parse(head!)
const questions = answered.map((line): Answered => JSON.parse(line))
/** The last migration of commit 6168b5d. */
const THEN = 25

test('a data directory of commit 6168b5d is migrated, verifies, and answers as it did then (decision 219)', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  mkdirSync(data, { mode: 0o700 })
  unpackDatabase(fixture('embedded.zst'), data)
  const onFatal = (error: Error) => {
    throw error
  }
  const app = await openAt(t, async () => createDb(await openPglite(data, { onFatal }), { onFatal }))
  await assertSameAsThen(app, ({ text }) => text)
  await app.service.close()
})

test('a PostgreSQL database of commit 6168b5d is migrated, verifies, and answers as it did then (decision 219)', async (t) => {
  const url = await emptyTestDatabase(t)
  await runOnce(url, readFileSync(fixture('postgres.sql'), 'utf8'))
  const app = await openAt(t, () => openOnServer(t, url))
  await assertSameAsThen(app, ({ text, postgres }) => postgres ?? text)
  await app.service.close()
})

/** A service of today at the moment when the questions were asked then: many responses depend on the day. */
const openAt = (t: TestContext, openDb: () => Promise<Db>) => openAppOn(t, openDb, { now: () => new Date(asked_at) })

async function assertSameAsThen(app: TestApp, textOf: (answered: Answered) => string): Promise<void> {
  const { db } = app.service
  assert.deepEqual(
    app.observations.filter(({ kind }) => kind === 'database-migrating'),
    [{ kind: 'database-migrating', from: THEN, to: migrationFiles.length }],
  )
  assert(await foldAccounts(app.service.deps))
  for (const question of questions) {
    const { status, text } = await ask(app, question)
    const name = `${question.method} ${question.path}`
    // Stored explanations keep the words in which they were recorded.
    const [today, then] = [inTodaysWords(text), inTodaysWords(textOf(question))]
    assert.equal(`${status} ${asFarAsThen(today, then)}`, `${question.status} ${then}`, name)
  }
  assert.deepEqual(await verify(db), { ...verified, erased: 0 })

  const schema = readFileSync(new URL('../../src/database/schema.sql', import.meta.url), 'utf8')
  assert.equal(await readSchemaText(readerOf(db, performance.now() + 60_000)), schema)

  // What is recorded from now on agrees with what was recorded then.
  const written = await app.record([
    anOrder({ order_id: 'today', user_id: 'u-05', total_amount: '200.00', points_redeemed: 50 }),
    anOrder({ order_id: 's-8', user_id: 'u-05', total_amount: '77.00', status: 'returned' }),
    anOrder({ order_id: 'h-7', user_id: 'u-07', total_amount: '77' }),
  ])
  assert.deepEqual([written.body.inserted, written.body.updated], [1, 2], written.text)
  assert.equal((await verify(db)).differing, 0)
}

function ask(app: TestApp, { method, path, headers, body }: Question) {
  const given = Object.entries({ token: app.service.ownToken, ...headers }).filter(([, value]) => value !== null)
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  return send(app.url, method, path, bytes, { ...Object.fromEntries(given), ...type } as Record<string, string>)
}

const verify = async (db: Db) => ledgerDocumentOf(await verifyLedger(db, () => undefined))
