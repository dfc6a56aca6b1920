import { readerOf } from '../../database/db/reader.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import { findProduct, type StoredProduct } from './store.ts'

/** A product as stored. Errors: NotFound if unknown; Unavailable. */
export async function showProduct({ db }: Pick<Deps, 'db'>, sku: string, deadlineAt: number): Promise<StoredProduct> {
  const product = await findProduct(readerOf(db, deadlineAt), sku)
  if (product === undefined) throw new NotFound(`there is no product ${shortened(sku)}`)
  return product
}
