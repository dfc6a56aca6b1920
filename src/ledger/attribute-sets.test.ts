import assert from 'node:assert/strict'
import test from 'node:test'
import type { Queryable } from '../database/db/driver.ts'
import { findAttributeSets } from './attribute-sets.ts'

const LENGTH = 10_000

/** A database that has a set of 10,000 characters under each digest, and the digests that it was asked for. */
function databaseOfSets() {
  const asked: string[] = []
  const query = async (_sql: string, [digests]: readonly unknown[] = []) => {
    asked.push(...(digests as string[]))
    return (digests as string[]).map((digest) => ({ digest, attributes: digest.padEnd(LENGTH, ' ') }))
  }
  return { db: { query } as unknown as Queryable, asked }
}

test('sets are read once; beyond 16 million characters those read first are dropped, and are read again', async () => {
  const { db, asked } = databaseOfSets()
  const digestsOf = (from: number, to: number) =>
    new Set(Array.from({ length: to - from }, (_, index) => `digest-${from + index}`))
  const readFor = async (digests: ReadonlySet<string>) => {
    asked.length = 0
    const sets = await findAttributeSets(db, digests)
    for (const digest of digests) assert.equal(sets.get(digest), digest.padEnd(LENGTH, ' '))
    return asked.length
  }
  assert.equal(await readFor(digestsOf(0, 1_500)), 1_500)
  assert.equal(await readFor(digestsOf(0, 1_500)), 0)
  assert.equal(await readFor(digestsOf(1_500, 2_000)), 500)
  assert.equal(await readFor(digestsOf(500, 2_000)), 0)
  assert.equal(await readFor(digestsOf(0, 400)), 400)
  // Of 24 million characters asked for at once, all are answered and 16 million are kept.
  assert.equal(await readFor(digestsOf(10_000, 12_400)), 2_400)
  assert.equal(await readFor(digestsOf(10_900, 12_400)), 0)
  assert.equal(await readFor(digestsOf(10_000, 10_800)), 800)
})
