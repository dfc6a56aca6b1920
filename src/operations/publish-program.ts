import { InvalidInput } from '../errors.ts'
import { moment, text } from '../ingest/fields.ts'
import { optional, type RecordWords, readRecord, required } from '../ingest/record.ts'
import { shortened } from '../ingest/shown.ts'
import type { Queryable } from '../store/db/driver.ts'
import { findLastOrderFrom } from '../store/orders.ts'
import { findPublication, insertProgram, lockPrograms } from '../store/programs.ts'
import type { Deps } from './deps.ts'
import { assertProgram, programSource } from './programs/program-source.ts'

export type Publication = Readonly<{ version: number; name: string; from: string }>

export const publicationFields = {
  source: required('source', programSource),
  from: optional('from', moment, undefined),
  note: optional('note', text, ''),
}

export const PUBLICATION_WORDS: RecordWords<typeof publicationFields> = {
  title: 'NewProgram',
  description: 'A program to publish as the next version',
  fields: {
    source: 'the text of the program, YAML or JSON; its shape is at /schemas/program.json',
    from: 'the moment from which it holds; absent: now',
    note: 'a remark for those who read the list of versions',
  },
}

/**
 * Publishes a program as the next version, from a moment on, which is now if none is named. A published version never changes.
 * `data` is as it was sent; `by` is the id of the caller's token.
 *
 * Errors: InvalidInput, for a program with the first of its faults and how many more there are; for a moment in the past that recorded
 * orders lie at or after. Unavailable.
 */
export async function publishProgram(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<Publication> {
  const request = readRecord(publicationFields, data, 'data')
  const { name } = assertProgram(request.source, 'data.source')
  const at = deps.now().toISOString()
  const from = request.from ?? at
  const version = await deps.db.transaction(async (tx, attempt) => {
    await lockPrograms(tx)
    // An earlier attempt may have published it already, if the outcome of its COMMIT stayed unknown.
    const known = attempt > 1 ? await findPublication(tx, { at, source: request.source }) : undefined
    if (known !== undefined) return known
    if (from < at) await refuseUnderOrders(tx, from)
    return insertProgram(tx, { name, publisher: by, note: request.note, from, source: request.source, at })
  }, deadlineAt)
  deps.observe({ kind: 'program-published', version, by })
  return { version, name, from }
}

/** Under a program that begins in the past, orders would be recorded by another program than the one that held at their moment. */
async function refuseUnderOrders(tx: Queryable, from: string): Promise<void> {
  const order = await findLastOrderFrom(tx, from)
  if (order === undefined) return
  const expected = 'a moment that is not past, or one after every recorded order'
  throw new InvalidInput(
    'data.from',
    `expected ${expected}: order ${shortened(order.order_id)} was placed at ${order.ordered_at}`,
  )
}
