import type { Queryable } from '../../database/db/driver.ts'
import { adjustmentFields } from '../../engine/ingest/adjustment.ts'
import { readRecord } from '../../engine/ingest/record.ts'
import type { Adjustment, AdjustmentVerdict } from '../../engine/points/ledger/adjust.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { readKnownAdjustments } from '../../ledger/snapshots.ts'
import { writeSlices } from '../../ledger/write-slices.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { Deps } from '../../shared/deps.ts'
import { bookingAt, computeAdjustments, describeAdjustmentRefusal } from './adjustments.ts'

/**
 * Adjusts one player's points; idempotent by the adjustment's id, `repeated` says that it had been made before. `data` is unvalidated input;
 * `subject` names the player in the acts, `by` is the id of the caller's token.
 * Errors: InvalidInput, also for the same id with other content; NotFound for an unknown player; Unavailable: safe to retry.
 */
export async function adjustPlayer(
  deps: Deps,
  { userId, subject, by }: Readonly<{ userId: string; subject: string; by: string }>,
  data: unknown,
  deadlineAt: number,
): Promise<{ repeated: boolean }> {
  const adjustment = { userId, ...readRecord(adjustmentFields, data, 'data') }
  const startedAt = performance.now()
  const at = deps.now().toISOString()
  const booking = bookingAt(deps.programs(), at, by)
  const compute = async (db: Queryable, adjustments: readonly Adjustment[]) =>
    computeAdjustments(adjustments, await readKnownAdjustments(db, adjustments), booking)
  const writeAct = prepareAct('player-adjusted', { at, by })
  const writeAlongside = async (tx: Queryable, _: unknown, [verdict]: readonly AdjustmentVerdict[]) => {
    const { id, points } = adjustment
    if ('done' in verdict! && verdict.done === 'inserted') await writeAct(tx, subject, { id, points: Number(points) })
  }
  const write = { compute, wanted: [adjustment], writeAlongside, at, deadlineAt }
  const [verdict] = (await writeSlices(deps, [[adjustment]], write)) as [AdjustmentVerdict]

  const inserted = 'done' in verdict && verdict.done === 'inserted' ? 1 : 0
  const counts = { inserted, updated: 0, skipped: 1 - inserted }
  const durationMs = performance.now() - startedAt
  deps.observe({ kind: 'batch-upserted', noun: 'adjustments', dryRun: false, ...counts, durationMs })
  if ('done' in verdict) return { repeated: verdict.done === 'unchanged' }
  const { field, error } = describeAdjustmentRefusal(adjustment, verdict.refused)
  if (verdict.refused === 'unknown-player') throw new NotFound(error)
  throw new InvalidInput(`data.${field}`, error)
}
