import { playerKind } from '../ingest/player.ts'
import { listPlayerFingerprints, upsertPlayers as write } from '../store/players.ts'
import type { Deps } from './deps.ts'
import { type UpsertOptions, upsertBatch } from './upsert-batch.ts'
import type { UpsertSummary } from './upsert-summary.ts'

/** Inserts new players and updates known ones (specification 4.2; decisions 40 to 55). */
export async function upsertPlayers(deps: Deps, data: unknown, options: UpsertOptions): Promise<UpsertSummary> {
  const story = {
    noun: 'players',
    kind: playerKind(deps.now()),
    unchangedCountsAs: 'updated',
    write,
    listFingerprints: listPlayerFingerprints,
  } as const
  return upsertBatch(deps, story, data, options)
}
