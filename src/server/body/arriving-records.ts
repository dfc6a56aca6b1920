import type { SentRecords } from '../../engine/ingest/batch.ts'
import type { SentChunk } from '../../engine/ingest/pieces.ts'

export type ArrivingRecords = Readonly<{
  /** The reader's end. */
  records: SentRecords
  add: (piece: SentChunk) => void
  /** No more pieces will arrive. */
  end: () => void
  /** The reader gets this error, and no further pieces. */
  fail: (error: unknown) => void
}>

/** A queue between the connection on which pieces arrive and the operation that reads them, bounded by the limits of the body. */
export function createArrivingRecords(): ArrivingRecords {
  let waiting: SentChunk[] = []
  let state: 'open' | 'ended' | { error: unknown } = 'open'
  let changed = Promise.withResolvers<void>()

  function wakeReader(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  return {
    records: {
      more: async () => {
        while (state === 'open' && waiting.length === 0) await changed.promise
        if (typeof state === 'object') throw state.error
        return waiting.length > 0
      },
      take: (piecesMax) => {
        const taken = waiting.slice(0, piecesMax)
        waiting = waiting.slice(piecesMax)
        return taken
      },
    },
    add: (piece) => {
      waiting.push(piece)
      wakeReader()
    },
    end: () => {
      state = 'ended'
      wakeReader()
    },
    fail: (error) => {
      state = { error }
      waiting = []
      wakeReader()
    },
  }
}
