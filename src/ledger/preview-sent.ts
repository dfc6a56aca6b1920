import type { Evaluation } from '../engine/points/ledger/evaluate-order.ts'
import { previewOrder } from '../engine/points/ledger/record.ts'
import type { Snapshot } from '../engine/points/ledger/snapshot.ts'
import type { SentOrder } from '../engine/points/model.ts'
import type { PublishedProgram } from '../engine/points/program-model.ts'
import type { Instant } from '../engine/points/units.ts'
import { InvalidInput } from '../errors.ts'
import { computeWithAnswers } from './compute-with-answers.ts'
import type { LedgerDeps } from './ledger-deps.ts'
import { describeRefusal } from './order-refusals.ts'

/** An order to preview, its inputs, and the programs and moment to compute it with. */
export type OrderToPreview = Readonly<{
  sent: SentOrder
  snapshot: Snapshot
  programs: readonly PublishedProgram[]
  at: Instant
}>

/** Computes the effect of recording an order. `path` is its path in the input. Errors: InvalidInput if it would be refused; Unavailable. */
export async function previewSent(
  { sumWindows, findHistories }: Pick<LedgerDeps, 'sumWindows' | 'findHistories'>,
  { sent, snapshot, programs, at }: OrderToPreview,
  path: string,
  deadlineAt: number,
): Promise<Evaluation> {
  const { preview } = await computeWithAnswers(snapshot, (answered) => previewOrder(sent, answered, programs, at), {
    sums: (queries) => sumWindows(queries, deadlineAt),
    histories: (queries) => findHistories(queries, deadlineAt),
    roundsMax: 1,
    deadlineAt,
  })
  if (!('refused' in preview)) return preview
  const { field, error } = describeRefusal(sent, preview.refused)
  throw new InvalidInput(`${path}.${field}`, error)
}
