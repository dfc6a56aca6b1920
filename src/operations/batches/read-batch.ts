/*
 * What every bulk story begins and ends with: a list read a slice at a time, so that others get their turn in between, and a summary.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import {
  type RecordKind,
  type RecordPlace,
  type RejectedRecord,
  readOne,
  type SentRecords,
} from '../../ingest/batch.ts'
import { recordsIn, type SentPiece } from '../../ingest/pieces.ts'
import type { Deps } from '../deps.ts'
import { type BatchOutcome, summarise, type UpsertSummary } from './summary.ts'

/** About 25 ms of the embedded database, on which a slice is a transaction, so that predictions pass between two (decision 43). */
const SLICE_RECORDS = 1_000
const PIECES_AT_ONCE = 100
/** Records read without looking at the clock, and how long without a pause: an answer of the database that others wait for comes no later. */
const READ_RECORDS = 25
const READ_MS = 2
/**
 * Records that a request may read before another has its turn. Two requests read side by side would both be ready late, and the database
 * idle until then; read one after the other, the first is written while the second is read.
 */
const TURN_RECORDS = 5_000

/** Waits for all pieces of a request. Errors: what it is refused for. */
export async function arrived(sent: SentRecords): Promise<readonly SentPiece[]> {
  const pieces: SentPiece[] = []
  while (await sent.more()) pieces.push(...sent.take(PIECES_AT_ONCE))
  return pieces
}

/** Reads the records of a request, clean ones and refused ones. Errors: those of reading what was sent. */
export async function readAll<A extends RecordPlace>(
  sent: readonly SentPiece[],
  kind: RecordKind<A>,
): Promise<{ accepted: A[]; refused: RejectedRecord[] }> {
  const read = { accepted: [] as A[], refused: [] as RejectedRecord[] }
  const records = oneByOne(sent)
  let position = 0
  let isOver = false
  while (!isOver) {
    await inTurn(async () => {
      let pausedAt = performance.now()
      for (const endOfTurn = position + TURN_RECORDS; position < endOfTurn && !isOver; position += 1) {
        const { done, value } = records.next()
        if (done) {
          isOver = true
          break
        }
        const one = readOne(value, kind, position)
        if ('accepted' in one) read.accepted.push(one.accepted)
        else read.refused.push(one.refused)
        if (position % READ_RECORDS === 0 && performance.now() - pausedAt > READ_MS) {
          await yieldToOthers()
          pausedAt = performance.now()
        }
      }
    })
  }
  return read
}

function* oneByOne(sent: readonly SentPiece[]): Generator<unknown, undefined> {
  for (const piece of sent) yield* recordsIn(piece)
}

let lastTurn: Promise<unknown> = Promise.resolve()

/** Runs work when all that was asked for before has ended. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const ended = lastTurn.then(work)
  lastTurn = ended.catch(() => undefined)
  return ended
}

/**
 * Cuts records into slices of at most 1,000 together, or `weightMax`; one that weighs more is a slice of its own. A record weighs 1
 * unless it is said otherwise.
 */
export function slicesOf<T>(
  records: readonly T[],
  weightOf: (record: T) => number = () => 1,
  weightMax = SLICE_RECORDS,
): T[][] {
  const slices: T[][] = []
  let left = 0
  for (const record of records) {
    const weight = weightOf(record)
    if (weight > left || slices.length === 0) {
      slices.push([])
      left = weightMax
    }
    slices.at(-1)!.push(record)
    left -= weight
  }
  return slices
}

/** The summary of a request that began at `startedAt` (milliseconds of `performance.now()`); it is told to the log and the metrics. */
export function conclude({ observe }: Pick<Deps, 'observe'>, outcome: BatchOutcome, startedAt: number): UpsertSummary {
  const summary = summarise(outcome)
  const { noun, dryRun } = outcome
  observe({ kind: 'batch-upserted', noun, dryRun, ...summary.counts, durationMs: performance.now() - startedAt })
  return summary
}
