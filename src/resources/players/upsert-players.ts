import type { SentRecords } from '../../engine/ingest/batch.ts'
import type { UpsertOptions, UpsertSummary } from '../../shared/bulk/summary.ts'
import { type UpsertTarget, upsertBatch } from '../../shared/bulk/upsert-batch.ts'
import type { Deps } from '../../shared/deps.ts'
import { insertPlayerRows, listPlayerFingerprints, playerStates, upsertPlayerRows } from './store.ts'

const target: UpsertTarget = {
  noun: 'players',
  unchangedCountsAs: 'updated',
  versionField: 'State_version',
  listFingerprints: listPlayerFingerprints,
  insert: insertPlayerRows,
  update: upsertPlayerRows,
  states: playerStates,
}

/** Inserts new players and updates known ones (specification 4.2; decisions 40 to 55). */
export async function upsertPlayers(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  return upsertBatch(deps, target, sent, options)
}
