/*
 * The result of a probe as one document, which `--json` prints. Exact numbers are strings; sums have all their digits (json-sums.ts).
 */
import { formatStep } from '../../engine/ingest/cases/write-cases.ts'
import { explanationOf } from '../../engine/points/explanation.ts'
import { kindOfRefusal } from '../../engine/whatif/cases.ts'
import type { Finding } from '../../engine/whatif/probe/index.ts'
import type { ReplayStep } from '../../engine/whatif/replay.ts'
import { jsonSum } from '../../json-sums.ts'

/** A finding, and the path of the file that replays it. */
export type ReplayedFinding = Readonly<{ finding: Finding; replay: string }>

/** `notes` are worth knowing, but are not findings. */
export function probeDocumentOf(
  file: string,
  seed: number,
  replayed: readonly ReplayedFinding[],
  notes: readonly string[],
) {
  const findings = replayed.map(({ finding: { kind, promise, title, because, histories }, replay }) => ({
    ...{ kind, promise, title, because, replay },
    histories: histories.map(({ name, steps }) => ({
      name,
      orders: steps.map((step) => ({ ...formatStep(step), ...outcomeOf(step) })),
    })),
  }))
  return { file, seed, findings, worth_knowing: notes }
}

/** Includes spendable, pending and held points only if they differ from the plain balance. */
function outcomeOf(step: ReplayStep) {
  if ('refused' in step) return { refused: kindOfRefusal(step.refused) }
  const { balance, available, pending, held } = step
  const spendable = available === balance && held === 0n ? {} : numbersOf({ available, pending, held })
  if ('redemption' in step) return { balance: jsonSum(balance), ...spendable }
  const { prediction } = step
  return {
    points: jsonSum(prediction.points),
    balance: jsonSum(balance),
    ...spendable,
    explanation: explanationOf(prediction),
  }
}

function numbersOf<Name extends string>(points: Readonly<Record<Name, bigint>>): Record<string, number> {
  return Object.fromEntries(Object.entries<bigint>(points).map(([name, value]) => [name, jsonSum(value)]))
}
