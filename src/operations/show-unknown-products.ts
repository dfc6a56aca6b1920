import { readerOf } from '../store/db/reader.ts'
import { listUnknownProducts, type StoredUnknownProduct } from '../store/unknown-products.ts'
import type { Deps } from './deps.ts'
import { readLimit } from './pages.ts'

/** Products named in orders or predictions but missing from the catalogue, most frequent first; `limit` as in pages. Errors: InvalidInput, Unavailable. */
export async function showUnknownProducts(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<Readonly<{ asOf: string; products: readonly StoredUnknownProduct[] }>> {
  const asOf = deps.now().toISOString()
  return { asOf, products: await listUnknownProducts(readerOf(deps.db, deadlineAt), readLimit(limit)) }
}
