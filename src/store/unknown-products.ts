import type { OrderId, Sku } from '../points/units.ts'
import { type Columns, columnLists, columnParts } from './db/columns.ts'
import type { Queryable } from './db/driver.ts'
import { sqlFile } from './db/sql-file.ts'

/** How often a product was named that the catalogue does not know, up to when (RFC 3339), and in which order last, if in one. */
export type UnknownProduct = Readonly<{
  sku: Sku
  orders: number
  predictions: number
  lastNamedAt: string
  orderId: OrderId | undefined
}>

/** The same as it is kept, with the database's names. */
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
const addSql = sqlFile('unknown-products-add', columnParts(COLUMNS, []))
const listSql = sqlFile('unknown-products-list')
const deleteSql = sqlFile('unknown-products-delete')

/** Adds how often products were named, each once; new ones while fewer than `keptMax` are kept. */
export async function addUnknownProducts(
  tx: Queryable,
  products: readonly UnknownProduct[],
  keptMax: number,
): Promise<void> {
  if (products.length > 0) await tx.query(addSql, [...columnLists(COLUMNS, products), keptMax])
}

/** Those that the catalogue does not know now, most named first, `limit` at most. */
export async function listUnknownProducts(db: Queryable, limit: number): Promise<StoredUnknownProduct[]> {
  return db.query<StoredUnknownProduct>(listSql, [limit])
}

/** Deletes those that were not named since a moment (RFC 3339) or are known now, and of the others those named longest ago but `stayMax`. */
export async function deleteUnknownProducts(tx: Queryable, before: string, stayMax: number): Promise<void> {
  await tx.query(deleteSql, [before, stayMax])
}
