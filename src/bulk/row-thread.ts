/*
 * The thread that reads players and products in bulk: receives pieces of a body, returns rows. Keeps this work off the main thread.
 */
import { parentPort } from 'node:worker_threads'
import { type RecordKind, type RejectedRecord, type Row, readOne } from '../engine/ingest/batch.ts'
import { playerKind } from '../engine/ingest/player-kind.ts'
import { productKind } from '../engine/ingest/product.ts'
import { recordsIn } from '../engine/ingest/sent-json.ts'
import type { ShopSettings } from '../engine/ingest/shop-settings.ts'
import { InvalidInput } from '../errors.ts'
import { lowerPriority } from '../low-priority.ts'
import type { RowRecordType, RowRequest, RowResponse } from './row-messages.ts'

type RowKinds = (recordType: RowRecordType, now: Date, shop: ShopSettings) => RecordKind<Row>

/**
 * Caches the kind for players, which serves all requests of a day (UTC) with the same settings: compiling it for each question would make
 * reading an eighth slower (bench/NOTES.md).
 */
function createRowKinds(): RowKinds {
  let players: { validFor: string; kind: RecordKind<Row> } | undefined
  return (recordType, now, shop) => {
    if (recordType === 'products') return productKind
    const validFor = `${now.toISOString().slice(0, 10)} ${JSON.stringify(shop)}`
    if (players?.validFor !== validFor) players = { validFor, kind: playerKind(now, shop) }
    return players.kind
  }
}

function readRows({ id, recordType, nowMs, shop, from, chunks }: RowRequest, kinds: RowKinds): RowResponse {
  const kind = kinds(recordType, new Date(nowMs), shop)
  const keys: string[] = []
  const fingerprints: string[] = []
  const rows: string[] = []
  const rejected: RejectedRecord[] = []
  const versions: { position: number; stateVersion: number }[] = []
  const rejoining: number[] = []
  let position = from
  try {
    for (const chunk of chunks) {
      const read: Row[] = []
      for (const record of recordsIn(chunk)) {
        const one = readOne(record, kind, position)
        if ('accepted' in one) {
          read.push(one.accepted)
          const { stateVersion, rejoins } = one.accepted
          if (rejoins) rejoining.push(position)
          if (stateVersion !== undefined) versions.push({ position, stateVersion })
        } else rejected.push(one.rejected)
        position += 1
      }
      if (read.length === 0) continue
      // One string per piece: thousands of short ones would have to survive every garbage collection until the last piece is read.
      keys.push(read.map(({ key }) => key).join('\t'))
      fingerprints.push(read.map(({ fingerprint }) => fingerprint).join('\t'))
      rows.push(read.map(({ row }) => row).join('\n'))
    }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { id, path: error.path, issue: error.message }
  }
  return {
    id,
    read: position - from,
    keys: keys.join('\t'),
    fingerprints: fingerprints.join('\t'),
    rows: rows.join('\n'),
    rejected,
    versions,
    rejoining,
  }
}

// Predictions go before bulk upserts.
lowerPriority('task')
const kinds = createRowKinds()
parentPort!.on('message', (request: RowRequest) => parentPort!.postMessage(readRows(request, kinds)))
