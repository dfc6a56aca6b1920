import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../shared/deps.ts'
import { listPage, type Page, type PageQuery } from '../../shared/routes/pages.ts'
import { listProductPage, type StoredProduct } from './store.ts'

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
