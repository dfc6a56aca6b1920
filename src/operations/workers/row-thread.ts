/*
 * The thread that reads players and products in bulk: pieces of a body in, rows out. The thread that answers requests has no time for it.
 */
import { parentPort } from 'node:worker_threads'
import { InvalidInput } from '../../errors.ts'
import { type RecordKind, type RejectedRecord, type Row, readOne } from '../../ingest/batch.ts'
import { recordsIn, type SentPiece } from '../../ingest/pieces.ts'
import { playerKind } from '../../ingest/player.ts'
import { productKind } from '../../ingest/product.ts'

export type RowNoun = 'players' | 'products'

/** Pieces of one request; `from` is the position of their first record, `nowMs` the moment that bounds dates. */
export type RowQuestion = Readonly<{
  id: number
  noun: RowNoun
  nowMs: number
  from: number
  pieces: readonly SentPiece[]
}>

/** Rows as few long texts, which cross to another thread at the cost of a copy. */
export type PackedRows = Readonly<{
  /** How many records were read, refused ones too. */
  read: number
  /** Between tabs: no key has one. */
  keys: string
  fingerprints: string
  /** Between line ends: no row has one. */
  rows: string
  refused: readonly RejectedRecord[]
}>

export type RowAnswer = Readonly<{ id: number } & (PackedRows | { path: string; fault: string })>

function kindOf(noun: RowNoun, now: Date): RecordKind<Row> {
  return noun === 'players' ? playerKind(now) : productKind
}

function answer({ id, noun, nowMs, from, pieces }: RowQuestion): RowAnswer {
  const kind = kindOf(noun, new Date(nowMs))
  const keys: string[] = []
  const fingerprints: string[] = []
  const rows: string[] = []
  const refused: RejectedRecord[] = []
  let position = from
  try {
    for (const piece of pieces) {
      const read: Row[] = []
      for (const record of recordsIn(piece)) {
        const one = readOne(record, kind, position)
        if ('accepted' in one) read.push(one.accepted)
        else refused.push(one.refused)
        position += 1
      }
      if (read.length === 0) continue
      // One text for a piece: thousands of short ones would have to be carried through every collection until the last piece is read.
      keys.push(read.map(({ key }) => key).join('\t'))
      fingerprints.push(read.map(({ fingerprint }) => fingerprint).join('\t'))
      rows.push(read.map(({ row }) => row).join('\n'))
    }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { id, path: error.path, fault: error.message }
  }
  return {
    id,
    read: position - from,
    keys: keys.join('\t'),
    fingerprints: fingerprints.join('\t'),
    rows: rows.join('\n'),
    refused,
  }
}

parentPort?.on('message', (question: RowQuestion) => parentPort!.postMessage(answer(question)))
