import assert from 'node:assert/strict'
import test from 'node:test'
import { readerOf } from '../../src/database/db/reader.ts'
import { createTokenCache, noteUse } from '../../src/resources/tokens/cache.ts'
import { newToken } from '../../src/resources/tokens/service.ts'
import { insertToken, selectTokens, selectValidTokens } from '../../src/resources/tokens/store.ts'
import { forEachDatabase } from '../support/databases.ts'

forEachDatabase((_, openTestDb) => {
  test('the last use of a token, across processes, is recorded to the hour; a wrong token does not count', async (t) => {
    const db = await openTestDb(t)
    const start = new Date('2026-06-01T12:34:56Z')
    const [used, idle] = [newToken('used', ['predict'], start), newToken('idle', ['predict'], start)]
    const soon = () => performance.now() + 30_000
    await db.transaction(async (tx) => {
      for (const { stored } of [used, idle]) await insertToken(tx, stored)
    }, soon())
    const reader = () => readerOf(db, soon())
    let now = start
    const openCache = async () => {
      const cache = createTokenCache(() => now)
      cache.replace(await selectValidTokens(reader(), now.toISOString()))
      return cache
    }
    const [one, other] = [await openCache(), await openCache()]
    const lastUse = async () => {
      const tokens = await selectTokens(reader())
      return Object.fromEntries(tokens.map(({ name, last_used_at }) => [name, last_used_at]))
    }
    assert.deepEqual(await lastUse(), { used: null, idle: null })
    assert(other.find(used.issued.token) !== undefined)
    now = new Date('2026-06-01T15:00:01Z')
    assert(one.find(used.issued.token) !== undefined)
    assert.equal(one.find(idle.issued.token.replace(/.$/, '')), undefined)
    const failing = { ...db, transaction: () => Promise.reject(new Error('the database is away')) }
    await assert.rejects(noteUse(failing, one), /away/)
    await noteUse(db, one)
    assert.deepEqual(await lastUse(), { used: '2026-06-01T15:00:00.000Z', idle: null }, 'also after a failed write')
    await noteUse(db, other)
    assert.deepEqual(await lastUse(), { used: '2026-06-01T15:00:00.000Z', idle: null })
    assert.equal(one.used().size, 0)
    one.find(used.issued.token)
    assert.equal(one.used().size, 0, 'once an hour is enough')
  })
})
