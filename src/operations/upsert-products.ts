import { productKind } from '../ingest/product.ts'
import { listProductFingerprints, upsertProducts as write } from '../store/products.ts'
import type { Deps } from './deps.ts'
import { type UpsertOptions, upsertBatch } from './upsert-batch.ts'
import type { UpsertSummary } from './upsert-summary.ts'

const story = {
  noun: 'products',
  kind: productKind,
  unchangedCountsAs: 'skipped',
  write,
  listFingerprints: listProductFingerprints,
} as const

/** Inserts new products and updates those whose price differs (specification 4.3; decisions 40 to 49 and 56). */
export async function upsertProducts(deps: Deps, data: unknown, options: UpsertOptions): Promise<UpsertSummary> {
  return upsertBatch(deps, story, data, options)
}
