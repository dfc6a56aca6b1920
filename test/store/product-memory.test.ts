import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Queryable } from '../../src/database/db/driver.ts'
import { readerOf } from '../../src/database/db/reader.ts'
import type { Db, Tx } from '../../src/database/db/transaction.ts'
import { productKind } from '../../src/engine/ingest/product.ts'
import { createProductMemory } from '../../src/ledger/product-memory.ts'
import { type OrderQuery, readSnapshot } from '../../src/ledger/snapshots.ts'
import { insertProductRows, upsertProductRows } from '../../src/resources/products/store.ts'
import { aProduct } from '../support/builders.ts'
import { forEachDatabase } from '../support/databases.ts'

const NOW = '2026-06-01T12:00:00.000Z'
const SKUS = ['a', 'b', 'c', 'd', 'e', 'f']
const soon = () => performance.now() + 60_000

/** What is done to some products in a transaction, with our statements or by hand. */
type Act = Readonly<{ how: keyof typeof ACTS; skus: readonly string[]; price: number; isUndone: boolean }>

const rowsOf = ({ skus, price }: Act) =>
  skus.map((sku, position) => {
    const attributes = price % 2 === 0 ? { attributes: { price } } : {}
    return productKind.accept(aProduct({ product_sku_id: sku, amount: price, ...attributes }), 'data', position)
  })

const ACTS = {
  upsert: (tx: Tx, act: Act) => upsertProductRows(tx, rowsOf(act), NOW),
  insert: (tx: Tx, act: Act) => insertProductRows(tx, rowsOf(act), NOW),
  update: (tx: Tx, { skus, price }: Act) =>
    tx.query('update products set price = $2 where sku = any ($1::text[])', [skus, price]),
  delete: (tx: Tx, { skus }: Act) => tx.query('delete from products where sku = any ($1::text[])', [skus]),
  merge: (tx: Tx, { skus, price }: Act) =>
    tx.query(
      `merge into products p using unnest($1::text[]) as s (sku) on p.sku = s.sku when matched then update set price = $2
        when not matched then insert (sku, price, rev, created_at, updated_at) values (s.sku, $2, 1, now(), now())`,
      [skus, price],
    ),
} as const

const anAct: fc.Arbitrary<Act> = fc.record({
  how: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])),
  skus: fc.subarray(SKUS, { minLength: 1 }),
  price: fc.integer({ min: 1, max: 99 }),
  isUndone: fc.boolean(),
})
const queriesOf = (skus: readonly string[]): OrderQuery[] => [{ userId: 'u', orderId: 'o', skus, code: '' }]
const undone = new Error('undone')
/** Statements by hand that meet others: a deadlock, and a product that another one has just inserted. */
const LOST = ['40P01', '23505']

async function perform(db: Db, act: Act): Promise<void> {
  const done = db.transaction(async (tx) => {
    await ACTS[act.how](tx, act)
    if (act.isUndone) throw undone
  }, soon())
  await done.catch((error: Error & { code?: string }) => {
    if (!LOST.includes(error.code ?? '')) assert.equal(error, undone)
  })
}

/** The products for which the statements that `act` sends ask. */
async function askedBy(db: Queryable, act: (db: Queryable) => Promise<unknown>): Promise<unknown[]> {
  const asked: unknown[] = []
  await act({
    query: (sql, params = []) => {
      if (sql.includes("'products'")) asked.push(params[2])
      return db.query(sql, params)
    },
  })
  return asked
}

forEachDatabase((_, openTestDb) => {
  test('whoever changes products, what orders are given of them is what the database holds at that moment', async (t) => {
    const db = await openTestDb(t)
    const memory = createProductMemory()
    let found = 0
    const compare = (skus: readonly string[]) =>
      db.transaction(async (tx) => {
        // What both read is of one moment.
        await tx.query('set transaction isolation level repeatable read')
        if (memory.find(skus).products.size > 0) found += 1
        const given = await readSnapshot(tx, queriesOf(skus), memory)
        const stored = await readSnapshot(tx, queriesOf(skus))
        assert.deepEqual(given.catalogue, stored.catalogue)
        assert.deepEqual(given.attributes, stored.attributes)
      }, soon())
    const rounds = fc.array(fc.array(fc.tuple(anAct, fc.subarray(SKUS, { minLength: 1 })), { maxLength: 6 }), {
      maxLength: 6,
    })
    const property = fc.asyncProperty(rounds, async (rounds) => {
      for (const round of rounds)
        await Promise.all(round.flatMap(([act, skus]) => [compare(skus), perform(db, act), compare(skus)]))
      await compare(SKUS)
      await compare(SKUS)
    })
    await fc.assert(property, { numRuns: 10, endOnFailure: true })
    assert(found > 10, `products were in memory ${found} times`)
  })

  test('products are read again only after one of them, or any other, has changed', async (t) => {
    const db = await openTestDb(t)
    const memory = createProductMemory()
    await perform(db, { how: 'upsert', skus: ['a', 'b'], price: 2, isUndone: false })
    const asked = (skus: readonly string[]) =>
      askedBy(readerOf(db, soon()), (reader) => readSnapshot(reader, queriesOf(skus), memory))
    assert.deepEqual(await asked(['a', 'unknown']), [['a', 'unknown']])
    assert.deepEqual(await asked(['a', 'unknown']), [[]])
    assert.deepEqual(await asked(['a', 'b']), [['b']])
    await perform(db, { how: 'upsert', skus: ['c'], price: 2, isUndone: true })
    assert.deepEqual(await asked(['a', 'b']), [[]])
    await perform(db, { how: 'upsert', skus: ['c'], price: 2, isUndone: false })
    assert.deepEqual(await asked(['a', 'b']), [[], ['a', 'b']])
    assert.deepEqual(await asked(['a', 'b', 'c']), [['c']])
    await db.transaction((tx) => tx.query('truncate products'), soon())
    assert.deepEqual(await asked(['a', 'b']), [[], ['a', 'b']])
  })

  test('without epochs, as on a cluster, products are read each time', async (t) => {
    const db = await openTestDb(t)
    const memory = createProductMemory()
    await perform(db, { how: 'upsert', skus: ['a'], price: 2, isUndone: false })
    await db.transaction((tx) => tx.query('delete from product_epochs'), soon())
    const asked = () => askedBy(readerOf(db, soon()), (reader) => readSnapshot(reader, queriesOf(['a']), memory))
    assert.deepEqual([await asked(), await asked()], [[['a']], [['a']]])
  })
})
