import type { UpsertOptions, UpsertSummary } from '../../bulk/summary.ts'
import { type UpsertTarget, upsertBatch } from '../../bulk/upsert-batch.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import type { SentRecords } from '../../engine/ingest/batch.ts'
import { attributesIn, withAttributesOf } from '../../engine/ingest/product.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import { listPage, type Page, type PageQuery } from '../../routing/pages.ts'
import {
  findProduct,
  insertProductRows,
  listProductFingerprints,
  listProductPage,
  productStates,
  type StoredProduct,
  upsertProductRows,
} from './store.ts'

/** Lists a page of products by sku. `prefix` is how their skus begin, case included. Errors: InvalidInput, Unavailable. */
export async function listProducts(
  { db }: Pick<Deps, 'db'>,
  query: PageQuery & Readonly<{ prefix?: string | undefined }>,
  deadlineAt: number,
): Promise<Page<StoredProduct>> {
  const reader = readerOf(db, deadlineAt)
  return listPage(
    query,
    ({ sku }) => sku,
    (page) => listProductPage(reader, page),
  )
}

/** A product as stored. Errors: NotFound if unknown; Unavailable. */
export async function showProduct({ db }: Pick<Deps, 'db'>, sku: string, deadlineAt: number): Promise<StoredProduct> {
  const product = await findProduct(readerOf(db, deadlineAt), sku)
  if (product === undefined) throw new NotFound(`product ${shortened(sku)} not found`)
  return product
}

const target: UpsertTarget = {
  noun: 'products',
  unchangedCountsAs: 'skipped',
  versionField: 'state_version',
  listFingerprints: listProductFingerprints,
  insert: insertProductRows,
  update: upsertProductRows,
  states: productStates,
  marks: { has: (fingerprint) => attributesIn(fingerprint) !== null, complete: withAttributesOf },
}

/** Inserts new products and updates those whose price differs (specification 4.3; decisions 40, 42, 45, 47 and 56). */
export async function upsertProducts(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  return upsertBatch(deps, target, sent, options)
}

/** Clears the version of a product's state. Whether it had one; undefined if there is no such product. */
export async function forgetProductVersion(tx: Queryable, key: string): Promise<boolean | undefined> {
  return await productStates.forget(tx, key)
}
