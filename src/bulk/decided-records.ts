import type { RecordPlace, RejectedRecord } from '../engine/ingest/batch.ts'
import type { FieldIssue } from '../ledger/order-refusals.ts'
import type { ReadRecords } from './read-records.ts'
import type { BatchOutcome, RecordVerdict } from './summary.ts'

/** The decision on a record: what was done, or why it was refused. */
export type Decision<Refusal> = Readonly<{ refused: Refusal } | { done: RecordVerdict }>

/** Applies the decisions, one for each accepted record in order: refused ones become rejected records, at the field at fault. */
export function decidedRecords<A extends RecordPlace, Refusal>(
  { accepted, rejected }: ReadRecords<A>,
  decisions: readonly Decision<Refusal>[],
  describe: (accepted: A, refusal: Refusal) => FieldIssue,
): Pick<BatchOutcome, 'accepted' | 'verdicts' | 'rejected'> {
  const done: { sent: A; verdict: RecordVerdict }[] = []
  const refused: RejectedRecord[] = []
  for (const [index, decision] of decisions.entries()) {
    const sent = accepted[index]!
    if ('done' in decision) done.push({ sent, verdict: decision.done })
    else refused.push(rejectedAt(sent, describe(sent, decision.refused)))
  }
  return {
    accepted: done.map(({ sent }) => sent),
    verdicts: done.map(({ verdict }) => verdict),
    rejected: [...rejected, ...refused].sort((a, b) => a.position - b.position),
  }
}

function rejectedAt({ position, key }: RecordPlace, { field, hidesKey, ...issue }: FieldIssue): RejectedRecord {
  return { position, ...(hidesKey ? {} : { key }), path: `data[${position}].${field}`, ...issue }
}
