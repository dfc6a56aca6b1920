import type { SentRecords } from '../../src/engine/ingest/batch.ts'
import type { SentChunk } from '../../src/engine/ingest/sent-json.ts'

/** Chunks of a body that have all arrived. */
export function sentRecords(pieces: readonly SentChunk[]): SentRecords {
  let left = pieces
  return {
    more: async () => left.length > 0,
    take: (piecesMax) => {
      const taken = left.slice(0, piecesMax)
      left = left.slice(piecesMax)
      return taken
    },
  }
}
