/*
 * What a probe found as one document, which `--json` prints. Exact numbers are texts.
 */
import { writtenOrder } from '../../ingest/cases/write-cases.ts'
import { explanationOf } from '../../points/explanation.ts'
import type { Finding } from '../../whatif/probe/index.ts'

/** A finding, and the path of the file that replays it. */
export type ReplayedFinding = Readonly<{ finding: Finding; replay: string }>

/** `notes` are worth knowing, and no findings. */
export function probeDocumentOf(
  file: string,
  seed: number,
  found: readonly ReplayedFinding[],
  notes: readonly string[],
) {
  const findings = found.map(({ finding: { kind, promise, title, because, histories }, replay }) => ({
    ...{ kind, promise, title, because, replay },
    histories: histories.map(({ name, steps }) => ({
      name,
      orders: steps.map((step) => ({
        ...writtenOrder(step.order),
        ...('refused' in step
          ? { refused: step.refused }
          : {
              points: Number(step.prediction.points),
              balance: Number(step.balance),
              explanation: explanationOf(step.prediction),
            }),
      })),
    })),
  }))
  return { file, seed, findings, worth_knowing: notes }
}
