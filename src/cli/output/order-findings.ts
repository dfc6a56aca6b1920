/*
 * What the service finds in the orders of a file before the first is written: some are older than recorded ones, or would overwrite other orders.
 */
import { shown } from '../../engine/ingest/shown.ts'
import { localDay } from '../../engine/points/local-time.ts'
import type { Answer } from '../../server/answers.ts'
import type { ImportRecord } from '../input/import-record.ts'
import { momentIn } from '../input/oldest-first.ts'

/** Counts of orders, over all requests of a file. */
export type OrderFindings = {
  /** Those that are older than one recorded for their player, where the program looks at history. */
  outOfOrder: number
  /** Those that are probably other orders than the ones recorded under their ids. */
  usedAgain: number
  /** The first of these, and the moments of both. */
  example: Readonly<{ id: string; sent: string; recorded: string }> | undefined
}

/** Adds what the service says of a batch. */
export function addFindings(
  findings: OrderFindings,
  { out_of_order = 0, used_again = 0, notes = [] }: Answer<'POST /api/integration/orders'>,
  batch: readonly ImportRecord[],
): void {
  findings.outOfOrder += out_of_order
  findings.usedAgain += used_again
  const note = notes.find(({ kind }) => kind === 'used-again')
  const sent = note && momentIn(batch[note.position]?.record, 'ordered_at')
  if (note?.ordered_at !== undefined && sent !== undefined)
    findings.example ??= { id: note.key, sent, recorded: note.ordered_at }
}

/** Why orders are not imported that would overwrite others, and what to do; `restartHint` is how their ids can differ. */
export function usedAgainText({ usedAgain, example }: OrderFindings, timeZone: string, restartHint: string): string {
  const which =
    usedAgain === 1
      ? '1 order would overwrite a recorded one of quite another day, with another amount or other lines'
      : `${usedAgain} orders would overwrite recorded ones of quite other days, with other amounts or lines`
  const days = example && [example.recorded, example.sent].map((at) => localDay(at, timeZone))
  const like = example && days ? `, such as ${shown(example.id)} of ${days[0]}, which the file has on ${days[1]}` : ''
  return `${which}${like}; ${restartHint}; --same-orders imports them as new states of the recorded orders`
}

/** Says of `count` orders, at least 1, that they come after later ones, what that means for points, and what to do (decision 206). */
export function outOfOrderText(count: number): string {
  const which = count === 1 ? '1 order is' : `${count} orders are`
  return `${which} older than one that is recorded for the same player, and the program looks at history: what they and later ones earn depends on which came first. Recorded orders keep their points; for points by the days of the orders, import into new data, all orders in one file or the oldest file first (docs/import.md, "Oldest first")`
}
