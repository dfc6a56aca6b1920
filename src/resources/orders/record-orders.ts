import { decidedRecords } from '../../bulk/decided-records.ts'
import { type ReadRecords, readRecords, receiveAll } from '../../bulk/read-records.ts'
import { SLICE_WEIGHT_MAX, slicesOf } from '../../bulk/slices.ts'
import {
  finishBatch,
  type RecordNote,
  type RecordVerdict,
  type UpsertOptions,
  type UpsertSummary,
} from '../../bulk/summary.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps, OrderOutcome } from '../../deps.ts'
import type { Accepted, RejectedRecord, SentRecords } from '../../engine/ingest/batch.ts'
import { orderKind } from '../../engine/ingest/order.ts'
import type { OrderRefusal } from '../../engine/points/ledger/evaluate-order.ts'
import { createPendingLedger, type PendingLedger, withPending } from '../../engine/points/ledger/pending-ledger.ts'
import { type OrderVerdict, recordOrders, recordsBalance } from '../../engine/points/ledger/record.ts'
import { createRepeatedStates } from '../../engine/points/ledger/repeated-states.ts'
import type { Snapshot } from '../../engine/points/ledger/snapshot.ts'
import { looksAtHistory } from '../../engine/points/looks-at-history.ts'
import type { SentOrder } from '../../engine/points/model.ts'
import type { RecordedOutcome } from '../../engine/points/prediction-difference.ts'
import { redeemedBy } from '../../engine/points/redeem-rules.ts'
import type { Instant, Points, Sku } from '../../engine/points/units.ts'
import { ClientGone } from '../../errors.ts'
import { computeWithAnswers } from '../../ledger/compute-with-answers.ts'
import { listWindowSums } from '../../ledger/entries.ts'
import { underCurrentIds } from '../../ledger/erasures.ts'
import { listHistories } from '../../ledger/histories.ts'
import { createMergedWrites, type MergedWrites, type Together } from '../../ledger/merged-writes.ts'
import { describeRefusal } from '../../ledger/order-refusals.ts'
import { previewSlices } from '../../ledger/preview-slices.ts'
import { readSnapshot, toOrderQuery } from '../../ledger/snapshots.ts'
import { type ComputedSlice, writeSlices } from '../../ledger/write-slices.ts'
import type { Scope } from '../../scopes.ts'
import { notesOnOrders } from './order-notes.ts'
import { latestOrders } from './store.ts'

/**
 * Records the states of orders, as if one by one in the order sent (decision 40). A state already recorded changes nothing; for a new one
 * the difference is posted to the ledger. A dry run computes the same, writes nothing, and compares no predictions.
 *
 * Errors: InvalidInput or TooLarge for an unreadable list, with nothing written; Unavailable: safe to retry.
 * Source: docs/api.md; decisions 20, 30, 42, 45, 47, 71 and 72
 */
export async function recordSentOrders(
  deps: Deps,
  writes: OrderWrites,
  sent: SentRecords,
  options: UpsertOptions,
): Promise<UpsertSummary> {
  const chunks = await receiveAll(sent)
  const now = deps.now()
  const at = now.toISOString()
  const deadlineAt = performance.now() + options.timeoutMs
  const batch = withoutForbidden(await readRecords(deps.readingQueue, chunks, orderKind(now)), options.scopes)

  const startedAt = performance.now()
  const orders = batch.accepted.map(({ record }) => record)
  const slices = slicesOf(orders, weightOf)
  const isNoted = options.details || options.dryRun
  const lookingAtHistory = new Set(
    deps.programs().flatMap(({ version, program }) => (isNoted && looksAtHistory(program) ? [version] : [])),
  )
  // Before anything is written: what is recorded by this list is followed in it.
  const latest =
    lookingAtHistory.size === 0
      ? new Map<string, string>()
      : await latestOrders(readerOf(deps.db, deadlineAt), [...new Set(orders.map(({ userId }) => userId))])
  const arrival = { by: options.by, at, deadlineAt }
  const verdicts = options.dryRun
    ? await previewOrders(deps, slices, arrival)
    : await writeOrders(deps, writes, slices, arrival)

  if (!options.dryRun) {
    deps.predictions.compare(orders.flatMap((order, index) => outcomeOf(order, verdicts[index]!)))
    for (const [index, verdict] of verdicts.entries())
      if (!('refused' in verdict)) deps.activity.countUnknownProducts(verdict.unknown, orders[index]!.id)
    const reasons = verdicts.flatMap(reasonsOf)
    if (reasons.length > 0) deps.observe({ kind: 'redemptions-refused', reasons })
  }
  const decided = decidedRecords(batch, verdicts, ({ record }, refusal) => describeRefusal(record, refusal))
  const notes = isNoted ? notesOnOrders(batch.accepted, verdicts, { latest, lookingAtHistory }) : []
  const countOf = (wanted: RecordNote['kind']) => notes.filter(({ kind }) => kind === wanted).length
  const outOfOrder = lookingAtHistory.size > 0 ? { outOfOrder: countOf('out-of-order') } : {}
  const outcome = {
    noun: 'orders',
    unchangedCountsAs: 'skipped',
    ...options,
    ...decided,
    notes,
    usedAgain: countOf('used-again'),
    ...outOfOrder,
  } as const
  return finishBatch(deps, outcome, startedAt)
}

/** Small requests to record orders, which are written together. */
export type OrderWrites = MergedWrites<SentOrder, ShortVerdict>

/** What is written together soon gives up accounts that others hold; alone, each request waits for its own. */
const LOCK_TIMEOUT_MS = 250
/** Heavier requests gain nothing from others. */
const SMALL_WEIGHT_MAX = SLICE_WEIGHT_MAX / 4

/** The queue for small requests of a service. */
export function openOrderWrites(deps: Deps): OrderWrites {
  const writeTogether = async ({ records, isAbandoned, committing, ...arrival }: Together<SentOrder>) => {
    return await writeSlices(deps, [records], {
      compute: computingSlices(deps, [records], arrival, createPendingLedger()),
      begin: (tx) => tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`),
      wanted: records.map(toAccountKeys),
      writeAlongside: async ({ mayHaveCommitted }) => {
        if (!mayHaveCommitted && isAbandoned()) throw new ClientGone('client disconnected before processing')
        committing()
      },
      ...arrival,
    })
  }
  return createMergedWrites(writeTogether, SLICE_WEIGHT_MAX)
}

/** By whom and when orders were sent, and until when they can be written. */
type Arrival = Readonly<{ by: string; at: Instant; deadlineAt: number }>
type Slices = readonly (readonly SentOrder[])[]

/** Writes orders, together with those of other requests if there are few. */
async function writeOrders(
  deps: Deps,
  writes: OrderWrites,
  slices: Slices,
  arrival: Arrival,
): Promise<readonly ShortVerdict[]> {
  const alone = () => writeApart(deps, slices, arrival)
  const [records = [], ...others] = slices
  const weight = records.reduce((sum, order) => sum + weightOf(order), 0)
  if (others.length > 0 || weight === 0 || weight > SMALL_WEIGHT_MAX) return await alone()
  const keys = records.flatMap(({ userId, id }) => [`player ${userId}`, `order ${id}`])
  const mustWait = () => deps.playerQueue.isBusy(records.map(({ userId }) => userId))
  return await writes({ ...arrival, records, keys, weight, isAbandoned: deps.db.isAbandoned, mustWait, alone })
}

function writeApart(deps: Deps, slices: Slices, arrival: Arrival): Promise<ShortVerdict[]> {
  const compute = computingSlices(deps, slices, arrival, createPendingLedger())
  return writeSlices(deps, slices, { compute, wanted: slices.flat().map(toAccountKeys), ...arrival })
}

function previewOrders(deps: Deps, slices: Slices, arrival: Arrival): Promise<ShortVerdict[]> {
  const pending = createPendingLedger()
  return previewSlices(deps.db, slices, computingSlices(deps, slices, arrival, pending), pending, arrival.deadlineAt)
}

/** Rejects orders that spend points unless the token has the scope for it (decision 67). */
function withoutForbidden(
  { accepted, rejected, ...batch }: ReadRecords<Accepted<SentOrder>>,
  scopes: ReadonlySet<Scope>,
): ReadRecords<Accepted<SentOrder>> {
  if (scopes.has('redeem')) return { ...batch, accepted, rejected }
  const isForbidden = ({ record }: Accepted<SentOrder>) => redeemedBy(record) > 0n
  const forbidden = accepted.filter(isForbidden).map(({ position, key }): RejectedRecord => {
    const path = `data[${position}].points_redeemed`
    return { position, key, path, error: 'this token does not have the scope redeem', verdict: 'not-allowed' }
  })
  if (forbidden.length === 0) return { ...batch, accepted, rejected }
  return { ...batch, accepted: accepted.filter((one) => !isForbidden(one)), rejected: [...rejected, ...forbidden] }
}

/** The weight of an order in a slice: the order with its entry costs about as much as one line. */
function weightOf({ lines }: SentOrder): number {
  return 1 + lines.length
}

function toAccountKeys({ userId, id, referralCode }: SentOrder) {
  return { userId, orderId: id, code: referralCode }
}

/** A verdict without its explanation, which would take too much memory for many orders. */
type ShortVerdict = Readonly<
  | { refused: OrderRefusal }
  | {
      done: RecordVerdict
      outcome: RecordedOutcome
      recordedAt: Instant
      overpaid: Points
      /** Products named by a first recording that are missing from the catalogue. */
      unknown: readonly Sku[]
      usedAgain?: Instant
    }
>

/** Reads the inputs of the orders of a slice and computes the effect of recording them. `pending` is what a dry run has computed before. */
function computingSlices(deps: Deps, slices: Slices, { by, at, deadlineAt }: Arrival, pending: PendingLedger) {
  // What earlier slices have decided is recorded here.
  const repeated = createRepeatedStates(slices.flat())
  return async (db: Queryable, sent: readonly SentOrder[]): Promise<ComputedSlice<ShortVerdict>> => {
    const read = (some: readonly SentOrder[]) =>
      readSnapshot(
        db,
        [...new Set([...some, ...some.map(repeated.standInFor)])].map((one) =>
          toOrderQuery(one, deps.programs(), at, recordsBalance),
        ),
      )
    const snapshot = await read(sent)
    const orders = await underCurrentIds(db, deps.erasureKey, sent, (userId) => snapshot.profiles.has(userId))
    const stored = orders === sent ? snapshot : await read(orders)
    const compute = (answered: Snapshot) =>
      recordOrders(orders, withPending(answered, pending), deps.programs(), at, by, repeated)
    const change = await computeWithAnswers(stored, compute, {
      sums: (queries) => listWindowSums(db, queries),
      histories: (queries) => listHistories(db, queries),
      roundsMax: orders.length,
      deadlineAt,
    })
    const verdicts = change.verdicts.map((verdict) => toShort(verdict, at))
    return { change, before: withPending(stored, pending), verdicts }
  }
}

function toShort(verdict: OrderVerdict, recordedAt: Instant): ShortVerdict {
  if ('refused' in verdict) return verdict
  const { done, prediction, at, overpaid, unknown, usedAgain } = verdict
  const { points, level, referrer, program } = prediction
  const levelPoints = level.levelPoints - points
  const referred = referrer !== undefined
  return {
    done,
    outcome: { points, levelAfter: level.after, referred, program: program.version, at, levelPoints },
    recordedAt,
    overpaid,
    unknown: done === 'inserted' ? unknown : [],
    ...(usedAgain === undefined ? {} : { usedAgain }),
  }
}

/** Why an order may not redeem its points; empty if it was not refused for that. */
function reasonsOf(verdict: ShortVerdict): string[] {
  return 'refused' in verdict && typeof verdict.refused !== 'string' ? [verdict.refused.kind] : []
}

/** The outcome of a first recording, for comparison with its prediction; none for any other. */
function outcomeOf({ userId, id: orderId }: SentOrder, verdict: ShortVerdict): OrderOutcome[] {
  if ('refused' in verdict || verdict.done !== 'inserted') return []
  const { outcome, recordedAt } = verdict
  return [{ ...outcome, userId, orderId, recordedAt }]
}
