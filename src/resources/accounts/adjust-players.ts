import { prepareAct } from '../../audit-log/record-acts.ts'
import { decidedRecords } from '../../bulk/decided-records.ts'
import { readRecords, receiveAll } from '../../bulk/read-records.ts'
import { slicesOf } from '../../bulk/slices.ts'
import { finishBatch, type UpsertOptions, type UpsertSummary } from '../../bulk/summary.ts'
import type { Queryable } from '../../database/db/driver.ts'
import type { Deps } from '../../deps.ts'
import { balanceKind } from '../../engine/ingest/adjustment.ts'
import type { SentRecords } from '../../engine/ingest/batch.ts'
import { type Adjustment, type AdjustmentVerdict, withPendingAdjustments } from '../../engine/points/ledger/adjust.ts'
import { createPendingLedger } from '../../engine/points/ledger/pending-ledger.ts'
import { previewSlices } from '../../ledger/preview-slices.ts'
import { writeSlices } from '../../ledger/write-slices.ts'
import { bookingAt, computeAdjustments, describeAdjustmentRefusal, isInserted, readAdjustments } from './adjustments.ts'

/**
 * Adjusts many players, for example to import balances when a shop migrates to Laurel. Idempotent by player and id: a repeated one is
 * `unchanged`. Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: safe to retry.
 */
export async function adjustPlayers(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  const chunks = await receiveAll(sent)
  const deadlineAt = performance.now() + options.timeoutMs
  const batch = await readRecords(deps.readingQueue, chunks, balanceKind)

  const startedAt = performance.now()
  const at = deps.now().toISOString()
  const adjustments = batch.accepted.map(({ record }) => record)
  const slices = slicesOf(adjustments)
  const pending = createPendingLedger()
  const booking = bookingAt(deps.programs(), at, options.by)
  const compute = async (db: Queryable, slice: readonly Adjustment[]) => {
    const { adjustments, stored } = await readAdjustments(db, deps, slice)
    return computeAdjustments(adjustments, withPendingAdjustments(stored, pending), booking)
  }
  const acts = new Map(
    slices.map((slice): [readonly Adjustment[], ReturnType<typeof prepareAct>] => [
      slice,
      prepareAct('balances-imported', { at, by: options.by }),
    ]),
  )
  const writeAlongside = async (
    tx: Queryable,
    slice: readonly Adjustment[],
    verdicts: readonly AdjustmentVerdict[],
  ) => {
    const records = verdicts.filter(isInserted).length
    if (records > 0) await acts.get(slice)!(tx, 'balances', { records })
  }
  const verdicts = options.dryRun
    ? await previewSlices(deps.db, slices, compute, pending, deadlineAt)
    : await writeSlices(deps, slices, { compute, wanted: adjustments, writeAlongside, at, deadlineAt })

  const decided = decidedRecords(batch, verdicts, ({ record }, refusal) => describeAdjustmentRefusal(record, refusal))
  return finishBatch(deps, { noun: 'adjustments', unchangedCountsAs: 'skipped', ...options, ...decided }, startedAt)
}
