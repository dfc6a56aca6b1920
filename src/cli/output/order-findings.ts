/*
 * What the service finds in the orders of a file before the first is written: some are older than recorded ones, or have the ids of other orders.
 */
import { shown } from '../../engine/ingest/shown.ts'
import { localDay } from '../../engine/points/local-time.ts'
import type { RouteResponse } from '../../server/responses.ts'
import { findInstant, type ImportRecord } from '../input/import-record.ts'

/** Counts of orders, over all requests of a file. */
export type OrderFindings = {
  /** Those that are older than one recorded for their player, where the program looks at history. */
  outOfOrder: number
  /** Those that are probably other orders than the ones recorded under their ids. */
  usedAgain: number
  /** The first of these, and the moments of both; without them, it is recorded for another player. */
  example: Readonly<{ id: string; times?: Readonly<{ sent: string; recorded: string }> }> | undefined
}

/** How the service refuses an order that is recorded for another player. */
const OF_ANOTHER_PLAYER = /^order .* belongs to another player$/s

/** Adds what the service says of a batch. An order that is recorded for another player is refused, and its number was probably used again, too. */
export function addFindings(
  findings: OrderFindings,
  { out_of_order = 0, used_again = 0, notes = [], results = [] }: RouteResponse<'POST /api/integration/orders'>,
  batch: readonly ImportRecord[],
): void {
  const foreign = results.filter(({ error = '' }) => OF_ANOTHER_PLAYER.test(error))
  findings.outOfOrder += out_of_order
  findings.usedAgain += used_again + foreign.length
  const note = notes.find(({ kind }) => kind === 'used-again')
  const sent = note && findInstant(batch[note.position]?.record, 'ordered_at')
  if (note?.ordered_at !== undefined && sent !== undefined)
    findings.example ??= { id: note.key, times: { sent, recorded: note.ordered_at } }
  const [first] = foreign
  if (first?.key !== undefined) findings.example ??= { id: first.key }
}

/** Why orders are not imported whose ids are those of others, and what to do; `restartHint` is how their ids can differ. */
export function usedAgainText(findings: OrderFindings, timeZone: string, restartHint: string): string {
  return `nothing was written; ${idsOfOthersText(findings, timeZone)}; ${restartHint}; if they are the same orders, add --same-orders`
}

/** Says of at least one order that its id is that of another, with an example. */
export function idsOfOthersText({ usedAgain, example }: OrderFindings, timeZone: string): string {
  const which =
    usedAgain === 1
      ? '1 order has the ID of a recorded one that is probably another: it is'
      : `${usedAgain} orders have the IDs of recorded ones that are probably others: they are`
  return `${which} more than 180 days away, or of another player${exampleText(example, timeZone)}`
}

function exampleText(example: OrderFindings['example'], timeZone: string): string {
  if (example === undefined) return ''
  const id = shown(example.id)
  if (example.times === undefined) return `, such as ${id}, which is recorded for another player`
  const { sent, recorded } = example.times
  return `, such as ${id} of ${localDay(recorded, timeZone)}, which the file has on ${localDay(sent, timeZone)}`
}

/** Says of `count` orders, at least 1, that they come after later ones, what that means for points, and what to do (decision 123). */
export function outOfOrderText(count: number): string {
  const which = count === 1 ? '1 order is' : `${count} orders are`
  return `${which} older than one that is recorded for the same player, and the program looks at history: what they and later ones earn depends on which came first. Recorded orders keep their points; for points by the days of the orders, import into an empty database, all orders in one file or the oldest file first (docs/import.md, "Oldest first")`
}
