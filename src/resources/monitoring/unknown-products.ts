import { type Columns, columnLists, columnParts } from '../../database/db/columns.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { OrderId, Sku } from '../../engine/points/units.ts'

/** How often a product missing from the catalogue was named, when last (RFC 3339), and in which order last, if in any. */
export type UnknownProduct = Readonly<{
  sku: Sku
  orders: number
  predictions: number
  lastNamedAt: string
  orderId: OrderId | undefined
}>

/** The same as stored, under the database's names. */
export type StoredUnknownProduct = Readonly<{
  sku: string
  orders: number
  predictions: number
  first_named_at: string
  last_named_at: string
  order_id: string | null
}>

const COLUMNS: Columns<UnknownProduct> = {
  sku: ['text', ({ sku }) => sku],
  orders: ['bigint', ({ orders }) => orders],
  predictions: ['bigint', ({ predictions }) => predictions],
  first_named_at: ['timestamptz', ({ lastNamedAt }) => lastNamedAt],
  last_named_at: ['timestamptz', ({ lastNamedAt }) => lastNamedAt],
  order_id: ['text', ({ orderId }) => orderId],
}
const addSql = sqlFile(import.meta.url, 'unknown-products-add', columnParts(COLUMNS, []))
const listSql = sqlFile(import.meta.url, 'unknown-products-list')
const knownSql = sqlFile(import.meta.url, 'unknown-products-known')
const deleteSql = sqlFile(import.meta.url, 'unknown-products-delete')

/** Adds to the counts of products, each of which must occur once; new ones are stored only while there are fewer than `keptMax`. */
export async function addUnknownProducts(
  tx: Queryable,
  products: readonly UnknownProduct[],
  keptMax: number,
): Promise<void> {
  if (products.length > 0) await tx.query(addSql, [...columnLists(COLUMNS, products), keptMax])
}

/** Up to `limit` products still missing from the catalogue, most frequently named first. */
export async function listUnknownProducts(db: Queryable, limit: number): Promise<StoredUnknownProduct[]> {
  return db.query<StoredUnknownProduct>(listSql, [limit])
}

/** Deletes products not named since a moment (RFC 3339) and those now in the catalogue, and keeps at most `stayMax`, the most recently named. */
export async function deleteUnknownProducts(tx: Queryable, before: string, stayMax: number): Promise<void> {
  const known = await tx.query<{ sku: string }>(knownSql)
  await tx.query(deleteSql, [before, stayMax, known.map(({ sku }) => sku)])
}
