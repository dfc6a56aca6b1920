import type { SentRecords } from '../../engine/ingest/batch.ts'
import type { SentChunk } from '../../engine/ingest/sent-json.ts'

export type ArrivingRecords = Readonly<{
  /** The reader's end. */
  records: SentRecords
  add: (chunk: SentChunk) => void
  /** No more chunks will arrive. */
  end: () => void
  /** The reader gets this error, and no further chunks. */
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
      take: (chunksMax) => {
        const chunks = waiting.slice(0, chunksMax)
        waiting = waiting.slice(chunksMax)
        return chunks
      },
    },
    add: (chunk) => {
      waiting.push(chunk)
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
