import { NotFound } from '../errors.ts'
import { shortened } from '../ingest/shown.ts'
import { readerOf } from '../store/db/reader.ts'
import { findProduct, type StoredProduct } from '../store/products.ts'
import type { Deps } from './deps.ts'

/** A product as stored. Errors: NotFound if unknown; Unavailable. */
export async function showProduct({ db }: Pick<Deps, 'db'>, sku: string, deadlineAt: number): Promise<StoredProduct> {
  const product = await findProduct(readerOf(db, deadlineAt), sku)
  if (product === undefined) throw new NotFound(`there is no product ${shortened(sku)}`)
  return product
}
