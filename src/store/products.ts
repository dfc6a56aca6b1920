import type { Fingerprinted } from '../ingest/batch.ts'
import type { ProductRecord } from '../ingest/product.ts'
import type { Queryable } from './db.ts'
import type { Stored, Written } from './players.ts'
import { sqlFile } from './sql-file.ts'

const upsertSql = sqlFile('products-upsert')
const fingerprintsSql = sqlFile('products-fingerprints')

/** Writes products, each key at most once and in the order of keys; `at` is the moment of the request (RFC 3339). */
export async function upsertProducts(
  tx: Queryable,
  products: readonly Fingerprinted<ProductRecord>[],
  at: string,
): Promise<Written[]> {
  // A product's fingerprint is its price as text: exactly what the column takes.
  return tx.query<Written>(upsertSql, [
    products.map(({ key }) => key),
    products.map(({ fingerprint }) => fingerprint),
    at,
  ])
}

export async function listProductFingerprints(db: Queryable, keys: readonly string[]): Promise<Stored[]> {
  return db.query<Stored>(fingerprintsSql, [keys])
}
