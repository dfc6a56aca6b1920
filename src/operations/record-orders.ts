import { type Accepted, type Refused, readList } from '../ingest/batch.ts'
import { orderKind } from '../ingest/order.ts'
import { shortened } from '../ingest/shown.ts'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import { type OrderRefusal, type Recording, recordOrders, type Snapshot, type Verdict } from '../points/ledger.ts'
import type { SentOrder } from '../points/model.ts'
import type { Queryable } from '../store/db.ts'
import { listWindowSums, questionOf, readSnapshot } from '../store/order-inputs.ts'
import { lockAccounts, writeRecording } from '../store/orders.ts'
import { readerOf } from '../store/reader.ts'
import { readAll, slicesOf } from './batches.ts'
import { computeWithSums } from './compute-orders.ts'
import type { Deps } from './deps.ts'
import type { UpsertOptions } from './upsert-batch.ts'
import { summarise, type UpsertSummary } from './upsert-summary.ts'

/** Orders of one slice: read, computed and written together, in about 25 ms, so that predictions pass between two (decision 43). */
const SLICE_ORDERS = 250

type Sent = Accepted<SentOrder>

/**
 * Records orders as they are now: new ones, changed ones, and nothing for those that are recorded just so. The ledger follows by
 * the difference. As if they were taken one by one, in the order sent (decision 41).
 *
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: send it again.
 * Source: docs/api.md; decisions 30, 33, 34 and 42 to 49
 */
export async function recordSentOrders(deps: Deps, data: unknown, options: UpsertOptions): Promise<UpsertSummary> {
  const startedAt = performance.now()
  const now = deps.now()
  const { accepted, refused } = await readAll(readList(data, deps.batchRecordsMax), orderKind(deps.readOrder, now))
  const slices = slicesOf(accepted, SLICE_ORDERS)
  const at = now.toISOString()
  const verdicts = options.dryRun
    ? await foreseeAll(deps, slices, at, options)
    : await recordAll(deps, slices, at, options)
  const done: { sent: Sent; verdict: 'inserted' | 'updated' | 'unchanged' }[] = []
  const refusedLate: Refused[] = []
  for (const [index, verdict] of verdicts.entries()) {
    const sent = accepted[index]!
    if ('refused' in verdict) refusedLate.push(refusalOf(sent, verdict.refused))
    else done.push({ sent, verdict: verdict.done })
  }
  const summary = summarise({
    noun: 'orders',
    unchangedCountsAs: 'skipped',
    ...options,
    accepted: done.map(({ sent }) => sent),
    verdicts: done.map(({ verdict }) => verdict),
    refused: [...refused, ...refusedLate].sort((a, b) => a.position - b.position),
  })
  deps.observe({
    kind: 'batch-upserted',
    noun: 'orders',
    dryRun: options.dryRun,
    ...summary.counts,
    durationMs: performance.now() - startedAt,
  })
  return summary
}

async function recordAll(
  deps: Deps,
  slices: readonly (readonly Sent[])[],
  at: string,
  { deadlineAt }: UpsertOptions,
): Promise<Verdict[]> {
  const verdicts = await deps.db.inSlices(
    slices,
    async (tx, slice) => {
      const orders = slice.map(({ record }) => record)
      const recording = await computed(deps, tx, orders, await readSnapshot(tx, orders.map(questionOf)), at)
      await writeRecording(tx, recording, at)
      return recording.verdicts
    },
    deadlineAt,
    (tx) =>
      lockAccounts(
        tx,
        slices.flatMap((slice) => slice.map(({ record }) => record)),
      ),
  )
  return verdicts.flat()
}

/** Nothing is written, so what a slice comes to is laid over what the next one reads. */
async function foreseeAll(
  deps: Deps,
  slices: readonly (readonly Sent[])[],
  at: string,
  { deadlineAt }: UpsertOptions,
): Promise<Verdict[]> {
  const reader = readerOf(deps.db, deadlineAt)
  const verdicts: Verdict[] = []
  const laid = { accounts: new Map(), orders: new Map(), entries: [] as Recording['entries'][number][] }
  for (const slice of slices) {
    const orders = slice.map(({ record }) => record)
    const stored = await readSnapshot(reader, orders.map(questionOf))
    const snapshot: Snapshot = {
      ...stored,
      accounts: new Map([...stored.accounts, ...laid.accounts]),
      orders: new Map([...stored.orders, ...laid.orders]),
      entries: laid.entries,
    }
    const recording = await computed(deps, reader, orders, snapshot, at)
    for (const [userId, account] of recording.accounts) laid.accounts.set(userId, account)
    for (const [orderId, order] of recording.orders) laid.orders.set(orderId, order)
    laid.entries.push(...recording.entries)
    verdicts.push(...recording.verdicts)
  }
  return verdicts
}

function computed(
  deps: Deps,
  db: Queryable,
  orders: readonly SentOrder[],
  snapshot: Snapshot,
  at: string,
): Promise<Recording> {
  return computeWithSums(
    snapshot,
    (known) => recordOrders(orders, known, deps.programs(), at),
    (questions) => listWindowSums(db, questions),
  )
}

function refusalOf({ position, key, record }: Sent, refusal: OrderRefusal): Refused {
  const { field, error } = describeRefusal(record, refusal)
  return { position, key, path: `data[${position}].${field}`, error }
}

/** Which field of the wire a refusal is about, and what to do. */
export function describeRefusal(order: SentOrder, refusal: OrderRefusal): { field: string; error: string } {
  switch (refusal) {
    case 'unknown-player':
      return {
        field: 'user_id',
        error: `there is no player ${shortened(order.userId)}: send players before their orders`,
      }
    case 'other-player':
      return { field: 'order_id', error: `order ${shortened(order.id)} belongs to another player` }
    case 'no-program':
      return { field: 'ordered_at', error: `expected a moment at which a program holds, got "${order.at}"` }
    case 'too-many-points':
      return {
        field: 'total_amount',
        error: `expected an order that earns at most ${WHOLE_MAX} points, and leaves no account with more`,
      }
    default:
      return refusal satisfies never
  }
}
