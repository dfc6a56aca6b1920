import { columnsOf, insertRows, type LateRow, listFingerprints, statesIn, type WrittenRow } from '../../bulk/rows.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { type KeyPage, keyPageParams } from '../../database/db/key-page.ts'
import { sqlFile } from '../../database/db/sql-file.ts'
import type { Tx } from '../../database/db/transaction.ts'
import type { Row } from '../../engine/ingest/batch.ts'
import { attributesIn } from '../../engine/ingest/product.ts'
import { NO_ATTRIBUTES } from '../../engine/points/attributes.ts'

/** A product as stored, under the database's names: the price is an exact number as a string, moments are RFC 3339. */
export type StoredProduct = Readonly<{
  sku: string
  price: string
  rev: number
  state_version: number | null
  created_at: string
  updated_at: string
  attributes: Readonly<Record<string, unknown>>
}>

const upsertSql = sqlFile(import.meta.url, 'products-upsert')
const upsertWithAttributesSql = sqlFile(import.meta.url, 'products-upsert-with-attributes')
const copySql = sqlFile(import.meta.url, 'products-copy')
const fingerprintsSql = sqlFile(import.meta.url, 'products-fingerprints')
const findSql = sqlFile(import.meta.url, 'product-find')
const pageSql = sqlFile(import.meta.url, 'products-page')

export const productStates = statesIn({
  table: 'products',
  key: 'sku',
  fingerprint:
    "trim_scale(price)::text || ' ' || coalesce((select attributes from product_attributes where digest = attributes_digest), '{}')",
})

/** Writes products, sorted by key, each key at most once; `at` is the moment of the request (RFC 3339). */
export async function upsertProductRows(tx: Tx, products: readonly Row[], at: string): Promise<WrittenRow[]> {
  tx.changes(
    'products',
    products.map(({ key }) => key),
  )
  const columns = columnsOf(products, 2)
  const attributes = products.map(({ fingerprint }) => attributesIn(fingerprint))
  if (attributes.every((one) => one === null)) return tx.query<WrittenRow>(upsertSql, [...columns, at])
  return tx.query<WrittenRow>(upsertWithAttributesSql, [...columns, at, attributes])
}

/** The same, but faster, for products that were not stored when looked up. Returns those that turned out to exist after all. */
export async function insertProductRows(tx: Tx, products: readonly Row[], at: string): Promise<LateRow[]> {
  tx.changes(
    'products',
    products.map(({ key }) => key),
  )
  const line = ({ row }: Row) => `${row}\t1\t${at}\t${at}\n`
  const upsert = (rows: readonly Row[]) => upsertProductRows(tx, rows, at)
  // A product that nothing is known of has none.
  const hasAttributes = products.some(({ fingerprint }) => ![null, NO_ATTRIBUTES].includes(attributesIn(fingerprint)))
  return insertRows(tx, products, { ...(hasAttributes ? {} : { copySql }), line, upsert })
}

/** The stored fingerprint of each product, in the order given; undefined if none is stored. */
export async function listProductFingerprints(db: Queryable, keys: readonly string[]): Promise<(string | undefined)[]> {
  return listFingerprints(db, fingerprintsSql, keys)
}

/** A product; undefined if unknown. */
export async function findProduct(db: Queryable, sku: string): Promise<StoredProduct | undefined> {
  const [product] = await db.query<StoredProduct>(findSql, [sku])
  return product
}

/** A page of all products, by sku. */
export async function listProductPage(db: Queryable, page: KeyPage): Promise<StoredProduct[]> {
  return db.query<StoredProduct>(pageSql, keyPageParams(page))
}
