import type { SentRecords } from '../ingest/batch.ts'
import { orderKind } from '../ingest/order.ts'
import { shortened } from '../ingest/shown.ts'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import type { RecordedOutcome } from '../points/deviation.ts'
import type { OrderRefusal } from '../points/ledger/evaluate.ts'
import { addToOverlay, createOverlay, withOverlay } from '../points/ledger/overlay.ts'
import { type OrderVerdict, recordOrders } from '../points/ledger/record.ts'
import type { SentOrder } from '../points/model.ts'
import { lockAccounts } from '../store/ledger.ts'
import { listWindowSums, questionFor, readSnapshot } from '../store/snapshots.ts'
import { computeWithSums } from './batches/compute-orders.ts'
import { type LedgerStory, runLedgerBatch } from './batches/ledger-batch.ts'
import { arrived, readAll } from './batches/read-batch.ts'
import type { UpsertSummary, RecordVerdict as UpsertVerdict } from './batches/summary.ts'
import type { UpsertOptions } from './batches/upsert-batch.ts'
import type { Deps } from './deps.ts'
import type { OrderOutcome } from './predictions/comparisons.ts'

/**
 * Records orders as they are now: new ones, changed ones, and nothing for those that are recorded just so. The ledger follows by
 * the difference. As if they were taken one by one, in the order sent (decision 41).
 *
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: send it again.
 * Source: docs/api.md; decisions 30, 33, 34 and 42 to 49
 */
export async function recordSentOrders(deps: Deps, sent: SentRecords, options: UpsertOptions): Promise<UpsertSummary> {
  const pieces = await arrived(sent)
  const now = deps.now()
  const at = now.toISOString()
  const deadlineAt = performance.now() + options.timeoutMs
  const laid = createOverlay()
  const story: LedgerStory<SentOrder, Decided> = {
    noun: 'orders',
    at,
    // An order and its entry cost about as much as a line.
    weightOf: ({ lines }) => 1 + lines.length,
    userIdOf: ({ userId }) => userId,
    isAboutOthers: ({ referralCode }) => referralCode !== '',
    lock: (tx, orders) =>
      lockAccounts(
        tx,
        orders.map(({ userId, id: orderId, referralCode: code }) => ({ userId, orderId, code })),
      ),
    async compute(db, orders) {
      const stored = await readSnapshot(db, orders.map(questionFor))
      const recording = await computeWithSums(
        withOverlay(stored, laid),
        (known) => recordOrders(orders, known, deps.programs(), at),
        (questions) => listWindowSums(db, questions),
      )
      return { ...recording, verdicts: recording.verdicts.map(inShort) }
    },
    lay: (change) => addToOverlay(laid, change),
    describe: describeRefusal,
  }
  const read = await readAll(pieces, orderKind(deps.readOrder, now))
  const { summary, verdicts } = await runLedgerBatch(deps, story, read, { ...options, deadlineAt })
  if (!options.dryRun)
    deps.predictions.compare(verdicts.flatMap((decided, index) => outcomeOf(read.accepted[index]!.record, decided, at)))
  return summary
}

type Decided = Readonly<
  { refused: OrderRefusal } | { done: UpsertVerdict; outcome: RecordedOutcome; recordedBefore: string | undefined }
>

/** A verdict without its reasons, which many orders together would make large. */
function inShort(verdict: OrderVerdict): Decided {
  if ('refused' in verdict) return verdict
  const { done, prediction, recordedBefore, rev, at } = verdict
  const { points, level, referrer, program } = prediction
  const levelPoints = level.levelPoints - points
  const referred = referrer !== undefined
  return {
    done,
    outcome: { rev, points, levelAfter: level.after, referred, program: program.version, at, levelPoints },
    recordedBefore,
  }
}

/** What a recorded order came to, to be compared with what was predicted of it; nothing for one that stayed as it was. */
function outcomeOf({ userId, id: orderId }: SentOrder, decided: Decided, recordedAt: string): OrderOutcome[] {
  if ('refused' in decided || decided.done === 'unchanged') return []
  const { outcome, recordedBefore } = decided
  return [{ ...outcome, userId, orderId, recordedBefore, recordedAt }]
}

/** Which field of the wire a refusal is about, and what to do. */
export function describeRefusal(order: SentOrder, refusal: OrderRefusal): { field: string; error: string } {
  switch (refusal) {
    case 'unknown-player':
      return { field: 'user_id', error: `there is no player ${shortened(order.userId)}: send players first` }
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
