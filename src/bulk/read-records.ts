/*
 * Reads the records of a request on the main thread, a few at a time, so that other requests get their turn in between.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import {
  type RecordKind,
  type RecordPlace,
  type RejectedRecord,
  readOne,
  type SentRecords,
} from '../engine/ingest/batch.ts'
import { recordsIn, type SentChunk } from '../engine/ingest/sent-json.ts'
import type { SerialQueue } from './serial-queue.ts'

/** The accepted and the rejected records of a request, each in the order sent. */
export type ReadRecords<A extends RecordPlace> = Readonly<{
  accepted: readonly A[]
  rejected: readonly RejectedRecord[]
}>

const CHUNKS_AT_ONCE = 100
/** Records read between looks at the clock, and milliseconds between pauses: the longest that reading delays anyone else's answer. */
const READ_RECORDS = 25
const READ_MS = 2
/**
 * Records that a request may read before another gets its turn. Read concurrently, two requests would both finish late while the database is
 * idle; read one after the other, the first is written while the second is read.
 */
const SLOT_RECORDS = 5_000

/** Receives all chunks of a request. Errors: those for which the request is refused. */
export async function receiveAll(sent: SentRecords): Promise<readonly SentChunk[]> {
  const chunks: SentChunk[] = []
  while (await sent.more()) chunks.push(...sent.take(CHUNKS_AT_ONCE))
  return chunks
}

/**
 * Reads the records of a request; `queue` is shared by all requests.
 * Errors: InvalidInput with path `body` for invalid JSON; TooLarge if the records together exceed a limit of their kind.
 */
export async function readRecords<A extends RecordPlace>(
  queue: SerialQueue,
  chunks: readonly SentChunk[],
  kind: RecordKind<A>,
): Promise<ReadRecords<A>> {
  const accepted: A[] = []
  const rejected: RejectedRecord[] = []
  const records = recordsOf(chunks)
  let position = 0
  let next = records.next()
  while (!next.done)
    await queue(async () => {
      let pausedAt = performance.now()
      for (const slotEnd = position + SLOT_RECORDS; !next.done && position < slotEnd; position += 1) {
        const read = readOne(next.value, kind, position)
        if ('accepted' in read) accepted.push(read.accepted)
        else rejected.push(read.rejected)
        next = records.next()
        if (position % READ_RECORDS === 0 && performance.now() - pausedAt > READ_MS) {
          await yieldToOthers()
          pausedAt = performance.now()
        }
      }
    })
  return { accepted, rejected }
}

function* recordsOf(chunks: readonly SentChunk[]): Generator<unknown, undefined> {
  for (const chunk of chunks) yield* recordsIn(chunk)
}
