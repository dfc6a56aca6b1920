import type { Row } from '../ingest/batch.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'
import type { Tx } from './db/transaction.ts'
import { columnsOf, insertRows, type LateRow, listFingerprints, statesIn, type WrittenRow } from './rows.ts'

const upsertSql = sqlFile('products-upsert')
const copySql = sqlFile('products-copy')
const fingerprintsSql = sqlFile('products-fingerprints')

export const productStates = statesIn({ table: 'products', key: 'sku', fingerprint: 'trim_scale(price)::text' })

/** Writes products, each key at most once and in the order of keys; `at` is the moment of the request (RFC 3339). */
export async function upsertProductRows(tx: Queryable, products: readonly Row[], at: string): Promise<WrittenRow[]> {
  return tx.query<WrittenRow>(upsertSql, [...columnsOf(products, 2), at])
}

/** The same for products that were not stored when they were looked for: faster. Answers those that were there after all. */
export async function insertProductRows(tx: Tx, products: readonly Row[], at: string): Promise<LateRow[]> {
  const line = ({ row }: Row) => `${row}\t1\t${at}\t${at}\n`
  return insertRows(tx, products, { copySql, line, upsert: (rows) => upsertProductRows(tx, rows, at) })
}

export async function listProductFingerprints(db: Queryable, keys: readonly string[]): Promise<(string | undefined)[]> {
  return listFingerprints(db, fingerprintsSql, keys)
}
