import type { SentRecords } from '../ingest/batch.ts'
import { insertPlayerRows, listPlayerFingerprints, upsertPlayerRows as update } from '../store/players.ts'
import type { UpsertSummary } from './batches/summary.ts'
import { type UpsertOptions, upsertBatch } from './batches/upsert-batch.ts'
import type { Deps } from './deps.ts'

const story = {
  noun: 'players',
  unchangedCountsAs: 'updated',
  listFingerprints: listPlayerFingerprints,
  insert: insertPlayerRows,
  update,
} as const

/** Inserts new players and updates known ones (specification 4.2; decisions 40 to 55). */
export async function upsertPlayers(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  return upsertBatch(deps, story, sent, options)
}
