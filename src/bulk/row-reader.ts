import { Worker } from 'node:worker_threads'
import type { RejectedRecord, Row, SentRecords } from '../engine/ingest/batch.ts'
import type { ShopSettings } from '../engine/ingest/shop-settings.ts'
import { InvalidInput, Unavailable } from '../errors.ts'
import type { PackedRows, RowRecordType, RowRequest, RowResponse } from './row-messages.ts'
import { createSerialQueue } from './serial-queue.ts'

/** Pieces that a request may have read before another gets its turn: about 5,000 players. */
const SLOT_CHUNKS = 24
/** The thread's objects live for a piece or two: a larger young generation would only spread over more memory. */
const YOUNG_MB = 16

export type ReadRows = Readonly<{ accepted: readonly Row[]; rejected: readonly RejectedRecord[] }>

/** The context of a request: its moment, which bounds dates, and the shop's settings when it began. */
export type ReadContext = Readonly<{ now: Date; shop: ShopSettings }>

/** Reads players and products in a separate thread. */
export type RowReader = Readonly<{
  /**
   * Yields the rows of a request and its rejected records as it arrives, about 5,000 at a time. The bytes received are transferred to the
   * thread, and are no longer available here. Errors: InvalidInput with path `body` for invalid JSON, other errors for which the request is
   * refused, and Unavailable if the thread ends.
   */
  read: (recordType: RowRecordType, terms: ReadContext, sent: SentRecords) => AsyncIterable<ReadRows>
  close: () => Promise<void>
}>

/** Opens a reader whose thread starts with the first request. */
export function openRowReader(): RowReader {
  const waiting = new Map<number, PromiseWithResolvers<RowResponse>>()
  const queue = createSerialQueue()
  let worker: Worker | undefined
  let lastId = 0
  let isClosed = false

  function start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB }
    const started = new Worker(new URL('./row-thread.ts', import.meta.url), { resourceLimits })
    started.on('message', (response: RowResponse) => {
      waiting.get(response.id)?.resolve(response)
      waiting.delete(response.id)
    })
    // It died of an unexpected error, or ends with the service while the rest of a refused request is still being read: everyone waiting gets
    // an error, and the next request starts another thread.
    let cause: Error | undefined
    started.on('error', (error: Error) => {
      cause = error
    })
    started.on('exit', () => {
      worker = undefined
      for (const { reject } of waiting.values()) reject(ended(cause))
      waiting.clear()
    })
    started.unref()
    return started
  }

  async function ask(request: Omit<RowRequest, 'id'>): Promise<PackedRows> {
    if (isClosed) throw ended()
    worker ??= start()
    const id = ++lastId
    const pending = Promise.withResolvers<RowResponse>()
    waiting.set(id, pending)
    const bytes = request.chunks.flatMap((chunk) => (chunk instanceof Uint8Array ? [chunk.buffer as ArrayBuffer] : []))
    worker.ref()
    worker.postMessage({ id, ...request } satisfies RowRequest, bytes)
    const response = await pending.promise.finally(() => waiting.size === 0 && worker?.unref())
    if ('issue' in response) throw new InvalidInput(response.path, response.issue)
    return response
  }

  /** Reads the chunks that have arrived when the request's turn comes; undefined when none are left. */
  async function readSlot(
    recordType: RowRecordType,
    { now, shop }: ReadContext,
    from: number,
    sent: SentRecords,
  ): Promise<PackedRows[] | undefined> {
    if (!(await sent.more())) return undefined
    return queue(async () => {
      const batch: PackedRows[] = []
      let position = from
      let left = SLOT_CHUNKS
      for (let chunks = sent.take(left); chunks.length > 0; chunks = sent.take(left)) {
        const packed = await ask({ recordType, nowMs: now.getTime(), shop, from: position, chunks })
        batch.push(packed)
        position += packed.read
        left -= chunks.length
      }
      return batch
    })
  }

  return {
    read: async function* (recordType, terms, sent) {
      let from = 0
      let reading = readSlot(recordType, terms, from, sent)
      for (;;) {
        const batch = await reading
        if (batch === undefined) return
        const starts = batch.map(({ read }) => {
          from += read
          return from - read
        })
        // The thread keeps reading while this one unpacks.
        reading = readSlot(recordType, terms, from, sent)
        reading.catch(() => undefined)
        for (const [index, packed] of batch.entries()) yield unpacked(packed, starts[index]!)
      }
    },
    close: async () => {
      isClosed = true
      await worker?.terminate()
    },
  }
}

function ended(cause?: Error): Unavailable {
  return new Unavailable('the record reader thread ended', { cause })
}

function unpacked(
  { read, keys, fingerprints, rows, rejected, versions, rejoining }: PackedRows,
  from: number,
): ReadRows {
  const rejectedAt = new Set(rejected.map(({ position }) => position))
  if (rejectedAt.size === read) return { accepted: [], rejected }
  const keyList = keys.split('\t')
  const fingerprintList = fingerprints.split('\t')
  let position = from - 1
  const accepted = rows.split('\n').map((row, index): Row => {
    do position += 1
    while (rejectedAt.has(position))
    return { position, key: keyList[index]!, fingerprint: fingerprintList[index]!, row }
  })
  if (versions.length === 0 && rejoining.length === 0) return { accepted, rejected }
  const versionAt = new Map(versions.map(({ position, stateVersion }) => [position, stateVersion]))
  const rejoiningAt = new Set(rejoining)
  const complete = accepted.map((row): Row => {
    const stateVersion = versionAt.get(row.position)
    const versioned = stateVersion === undefined ? row : { ...row, stateVersion }
    return rejoiningAt.has(row.position) ? { ...versioned, rejoins: true } : versioned
  })
  return { accepted: complete, rejected }
}
