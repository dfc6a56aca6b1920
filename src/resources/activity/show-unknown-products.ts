import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../shared/deps.ts'
import { readLimit } from '../../shared/routes/pages.ts'
import { listUnknownProducts, type StoredUnknownProduct } from './unknown-products.ts'

/** Products named in orders or predictions but missing from the catalogue, most frequent first; `limit` as in pages. Errors: InvalidInput, Unavailable. */
export async function showUnknownProducts(
  deps: Deps,
  limit: string | undefined,
  deadlineAt: number,
): Promise<Readonly<{ asOf: string; products: readonly StoredUnknownProduct[] }>> {
  const asOf = deps.now().toISOString()
  return { asOf, products: await listUnknownProducts(readerOf(deps.db, deadlineAt), readLimit(limit)) }
}
