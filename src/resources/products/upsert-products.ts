import type { SentRecords } from '../../engine/ingest/batch.ts'
import type { UpsertOptions, UpsertSummary } from '../../shared/bulk/summary.ts'
import { type UpsertTarget, upsertBatch } from '../../shared/bulk/upsert-batch.ts'
import type { Deps } from '../../shared/deps.ts'
import { insertProductRows, listProductFingerprints, productStates, upsertProductRows } from './store.ts'

const target: UpsertTarget = {
  noun: 'products',
  unchangedCountsAs: 'skipped',
  versionField: 'state_version',
  listFingerprints: listProductFingerprints,
  insert: insertProductRows,
  update: upsertProductRows,
  states: productStates,
}

/** Inserts new products and updates those whose price differs (specification 4.3; decisions 40 to 49 and 56). */
export async function upsertProducts(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  return upsertBatch(deps, target, sent, options)
}
