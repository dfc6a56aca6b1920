import { prepareAct } from '../../audit-log/record-acts.ts'
import { decidedRecords } from '../../bulk/decided-records.ts'
import { readRecords, receiveAll } from '../../bulk/read-records.ts'
import { slicesOf } from '../../bulk/slices.ts'
import type { UpsertOptions, UpsertSummary } from '../../bulk/summary.ts'
import { finishBatch } from '../../bulk/summary.ts'
import type { Queryable } from '../../database/db/driver.ts'
import type { Deps } from '../../deps.ts'
import { balanceKind } from '../../engine/ingest/adjustment.ts'
import type { SentRecords } from '../../engine/ingest/batch.ts'
import {
  type Adjustment,
  type AdjustmentVerdict,
  adjustmentKey,
  type KnownAdjustments,
} from '../../engine/points/ledger/adjust.ts'
import { type LedgerChange, layeredLookup } from '../../engine/points/ledger/overlay.ts'
import type { Account, Entry } from '../../engine/points/model.ts'
import { previewSlices } from '../../ledger/preview-slices.ts'
import { readKnownAdjustments } from '../../ledger/snapshots.ts'
import { writeSlices } from '../../ledger/write-slices.ts'
import { bookingAt, computeAdjustments, describeAdjustmentRefusal, isInserted } from './adjustments.ts'

/**
 * Adjusts many players, for example to import balances when a shop migrates to Laurel. Idempotent by player and id: a repeated one is
 * `unchanged`. Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: safe to retry.
 */
export async function adjustPlayers(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  const pieces = await receiveAll(sent)
  const deadlineAt = performance.now() + options.timeoutMs
  const batch = await readRecords(deps.readingQueue, pieces, balanceKind)

  const startedAt = performance.now()
  const at = deps.now().toISOString()
  const adjustments = batch.accepted.map(({ record }) => record)
  const slices = slicesOf(adjustments)
  const unwritten: Unwritten = { accounts: new Map(), made: new Map() }
  const booking = bookingAt(deps.programs(), at, options.by)
  const compute = async (db: Queryable, slice: readonly Adjustment[]) =>
    computeAdjustments(slice, onTop(unwritten, await readKnownAdjustments(db, slice)), booking)
  const writeAct = prepareAct('balances-imported', { at, by: options.by })
  const writeAlongside = async (tx: Queryable, _: unknown, verdicts: readonly AdjustmentVerdict[]) => {
    if (verdicts.some(isInserted)) await writeAct(tx, 'balances', { records: adjustments.length })
  }
  const verdicts = options.dryRun
    ? await previewSlices(deps.db, slices, compute, (change) => addTo(unwritten, change), deadlineAt)
    : await writeSlices(deps, slices, { compute, wanted: adjustments, writeAlongside, at, deadlineAt })

  const decided = decidedRecords(batch, verdicts, ({ record }, refusal) => describeAdjustmentRefusal(record, refusal))
  return finishBatch(deps, { noun: 'adjustments', unchangedCountsAs: 'skipped', ...options, ...decided }, startedAt)
}

/** What a dry run has computed but not written. */
type Unwritten = Readonly<{ accounts: Map<string, Account>; made: Map<string, Entry> }>

function onTop(unwritten: Unwritten, stored: KnownAdjustments): KnownAdjustments {
  return {
    accounts: layeredLookup(unwritten.accounts, stored.accounts),
    made: layeredLookup(unwritten.made, stored.made),
  }
}

function addTo(unwritten: Unwritten, { accounts, entries }: LedgerChange): void {
  for (const [userId, account] of accounts) unwritten.accounts.set(userId, account)
  for (const entry of entries) unwritten.made.set(adjustmentKey(entry.userId, entry.adjustment!.id), entry)
}
