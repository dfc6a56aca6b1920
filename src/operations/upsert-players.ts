import type { SentRecords } from '../ingest/batch.ts'
import { insertPlayerRows, listPlayerFingerprints, playerStates, upsertPlayerRows } from '../store/players.ts'
import type { UpsertOptions, UpsertSummary } from './batches/summary.ts'
import { type UpsertTarget, upsertBatch } from './batches/upsert-batch.ts'
import type { Deps } from './deps.ts'

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
