import assert from 'node:assert/strict'
import test from 'node:test'
import type { Db } from '../../database/db/transaction.ts'
import type { Caller } from '../../scopes.ts'
import { tokenDigest } from '../tokens/token-text.ts'
import { createSessionCache } from './cache.ts'
import { noteSessionUse } from './service.ts'

const START = Date.parse('2026-06-01T12:00:00Z')
const MINUTE_MS = 60_000

test('the last use of a session whose write failed is written by the next attempt, and then no more', async () => {
  let nowMs = START
  const cache = createSessionCache(() => new Date(nowMs), { findById: () => ({}) as Caller })
  cache.replace([
    {
      session_id: 's-1',
      digest: tokenDigest('a cookie').toString('hex'),
      token_id: 't-1',
      token_name: 'till',
      browser: '',
      created_at: new Date(START).toISOString(),
      last_used_at: new Date(START).toISOString(),
      expires_at: new Date(START + 60 * MINUTE_MS).toISOString(),
    },
  ])
  nowMs += 5 * MINUTE_MS
  assert(cache.find('a cookie', true) !== undefined)
  const written: unknown[][] = []
  let isBroken = true
  const db = {
    transaction: async (work: (tx: object) => Promise<unknown>) => {
      if (isBroken) throw new Error('the disk is full')
      return work({ query: async (_sql: string, params: unknown[]) => void written.push(params) })
    },
  } as unknown as Db
  await assert.rejects(noteSessionUse(db, cache), /the disk is full/)
  isBroken = false
  await noteSessionUse(db, cache)
  await noteSessionUse(db, cache)
  assert.deepEqual(written, [[['s-1'], ['2026-06-01T12:05:00.000Z']]])
})
