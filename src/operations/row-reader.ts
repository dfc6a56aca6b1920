import { Worker } from 'node:worker_threads'
import { InvalidInput } from '../errors.ts'
import type { Refused, Row, SentRecords } from '../ingest/batch.ts'
import { inTurn } from './batches.ts'
import type { PackedRows, RowAnswer, RowNoun, RowQuestion } from './row-thread.ts'

/** Pieces that a request may have read before another has its turn: some 5,000 players. */
const TURN_PIECES = 24
/** What the thread makes lives for a piece or two: more memory for it would only be touched, not used. */
const YOUNG_MB = 16

export type ReadRows = Readonly<{ accepted: readonly Row[]; refused: readonly Refused[] }>

/** Reads players and products in a thread of its own. */
export type RowReader = Readonly<{
  /**
   * The clean rows of a request and its refused records, some 5,000 at a time; `now` bounds dates. Bytes of what was sent are gone
   * afterwards. Errors: InvalidInput with path `body` for what is no JSON.
   */
  read: (noun: RowNoun, now: Date, sent: SentRecords) => AsyncIterable<ReadRows>
  close: () => Promise<void>
}>

export function openRowReader(): RowReader {
  const waiting = new Map<number, PromiseWithResolvers<RowAnswer>>()
  let worker: Worker | undefined
  let lastId = 0

  function start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB }
    const started = new Worker(new URL('./row-thread.ts', import.meta.url), { resourceLimits })
    started.on('message', (answer: RowAnswer) => {
      waiting.get(answer.id)?.resolve(answer)
      waiting.delete(answer.id)
    })
    // It died of something that nobody foresaw: those who wait hear of it, and the next request starts another.
    started.on('error', (error) => {
      worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    })
    started.unref()
    return started
  }

  async function ask(question: Omit<RowQuestion, 'id'>): Promise<PackedRows> {
    worker ??= start()
    const id = ++lastId
    const asked = Promise.withResolvers<RowAnswer>()
    waiting.set(id, asked)
    const bytes = question.pieces.flatMap((piece) => (piece instanceof Uint8Array ? [piece.buffer as ArrayBuffer] : []))
    worker.ref()
    worker.postMessage({ id, ...question } satisfies RowQuestion, bytes)
    const answer = await asked.promise.finally(() => waiting.size === 0 && worker?.unref())
    if ('fault' in answer) throw new InvalidInput(answer.path, answer.fault)
    return answer
  }

  return {
    read: async function* (noun, now, sent) {
      let from = 0
      for (let at = 0; at < sent.length; at += TURN_PIECES) {
        const pieces = sent.slice(at, at + TURN_PIECES)
        const packed = await inTurn(() => ask({ noun, nowMs: now.getTime(), from, pieces }))
        yield unpacked(packed, from)
        from += packed.read
      }
    },
    close: async () => {
      await worker?.terminate()
    },
  }
}

function unpacked({ read, keys, fingerprints, rows, refused }: PackedRows, from: number): ReadRows {
  const refusedAt = new Set(refused.map(({ position }) => position))
  if (refusedAt.size === read) return { accepted: [], refused }
  const keyList = keys.split('\t')
  const fingerprintList = fingerprints.split('\t')
  let position = from - 1
  const accepted = rows.split('\n').map((row, index): Row => {
    do position += 1
    while (refusedAt.has(position))
    return { position, key: keyList[index]!, fingerprint: fingerprintList[index]!, row }
  })
  return { accepted, refused }
}
