import { Worker } from 'node:worker_threads'
import { InvalidInput } from '../errors.ts'
import type { Refused, Row, SentRecords } from '../ingest/batch.ts'
import { inTurn } from './batches.ts'
import type { PackedRows, RowAnswer, RowNoun, RowQuestion } from './row-thread.ts'

/** Pieces that a request may have read before another has its turn: some 5,000 players. */
const TURN_PIECES = 24

/** Reads players and products in a thread of its own. */
export type RowReader = Readonly<{
  /**
   * The clean rows of a request and its refused records; `now` bounds dates. Bytes of what was sent are gone afterwards.
   * Errors: InvalidInput with path `body` for what is no JSON.
   */
  read: (noun: RowNoun, now: Date, sent: SentRecords) => Promise<{ accepted: Row[]; refused: Refused[] }>
  close: () => Promise<void>
}>

export function openRowReader(): RowReader {
  const waiting = new Map<number, PromiseWithResolvers<RowAnswer>>()
  let worker: Worker | undefined
  let lastId = 0

  function start(): Worker {
    const started = new Worker(new URL('./row-thread.ts', import.meta.url))
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
    read: async (noun, now, sent) => {
      const read = { accepted: [] as Row[], refused: [] as Refused[] }
      let from = 0
      for (let at = 0; at < sent.length; at += TURN_PIECES) {
        const pieces = sent.slice(at, at + TURN_PIECES)
        const packed = await inTurn(() => ask({ noun, nowMs: now.getTime(), from, pieces }))
        unpack(packed, from, read)
        from += packed.read
      }
      return read
    },
    close: async () => {
      await worker?.terminate()
    },
  }
}

function unpack(packed: PackedRows, from: number, into: { accepted: Row[]; refused: Refused[] }): void {
  const refusedAt = new Set(packed.refused.map(({ position }) => position))
  into.refused.push(...packed.refused)
  if (refusedAt.size === packed.read) return
  const keys = packed.keys.split('\t')
  const fingerprints = packed.fingerprints.split('\t')
  let position = from
  for (const [index, row] of packed.rows.split('\n').entries()) {
    while (refusedAt.has(position)) position += 1
    into.accepted.push({ position, key: keys[index]!, fingerprint: fingerprints[index]!, row })
    position += 1
  }
}
