import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { aPlayer, aProduct } from '../support/builders.ts'
import { forEachService } from '../support/test-app.ts'

const RUNS = 40

type Sent = Readonly<{ key: string; value: string | undefined }>

/** The contract of a batch as a simple model: a map that takes one record after the other. */
function takeOneByOne(stored: Map<string, string>, batch: readonly Sent[], unchangedCountsAs: 'updated' | 'skipped') {
  const counts = { inserted: 0, updated: 0, skipped: 0 }
  for (const { key, value } of batch) {
    if (value === undefined) counts.skipped += 1
    else if (!stored.has(key)) counts.inserted += 1
    else if (stored.get(key) === value) counts[unchangedCountsAs] += 1
    else counts.updated += 1
    if (value !== undefined) stored.set(key, value)
  }
  return counts
}

const batches = fc.array(
  fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.constantFrom('1', '2', '3', undefined) }), {
    maxLength: 12,
  }),
  { minLength: 1, maxLength: 4 },
)

forEachService((openTestApp) => {
  const nouns = [
    [
      'products',
      'skipped',
      ({ key, value }: Sent) => aProduct({ product_sku_id: key, amount: value ?? 'x' }),
      'select sku as key, trim_scale(price)::text as value from products order by sku',
    ],
    [
      'players',
      'updated',
      ({ key, value }: Sent) => aPlayer({ User_id: key, Name: value ?? '' }),
      'select user_id as key, name as value from players order by user_id',
    ],
  ] as const

  for (const [noun, unchangedCountsAs, wire, storedSql] of nouns) {
    test(`any batches of ${noun} have the same result as taking their records one by one, and a dry run previews it (decisions 40, 45 and 47)`, async (t) => {
      const app = await openTestApp(t)
      await fc.assert(
        fc.asyncProperty(batches, async (sent) => {
          await app.service.db.transaction((tx) => tx.query(`delete from ${noun}`), performance.now() + 5_000)
          const stored = new Map<string, string>()
          for (const batch of sent) {
            const body = { data: batch.map((one): object => wire(one)) }
            const { message: previewed, ...dry } = (
              await app.ask('POST', `/api/integration/${noun}?dry_run=true`, { body })
            ).body
            const { message, ...counts } = (await app.ask('POST', `/api/integration/${noun}`, { body })).body
            assert.deepEqual(counts, takeOneByOne(stored, batch, unchangedCountsAs))
            assert.deepEqual(dry, counts)
            assert.equal(previewed, `Dry run: ${message}`)
          }
          const expected = [...stored].sort().map(([key, value]) => ({ key, value }))
          assert.deepEqual(await app.query(storedSql), expected)
        }),
        { numRuns: RUNS },
      )
    })
  }
})
