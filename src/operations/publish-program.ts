import { InvalidInput } from '../errors.ts'

import { boolean, moment, text } from '../ingest/fields.ts'
import { programSource, readFaultlessProgram } from '../ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../ingest/record.ts'
import { shortened } from '../ingest/shown.ts'
import type { Program } from '../points/program-model.ts'
import { countsDays, programAt } from '../points/programs.ts'

import type { Queryable } from '../store/db/driver.ts'
import { findLastOrderFrom } from '../store/orders.ts'
import { findPublication, insertProgram, lockPrograms } from '../store/programs.ts'
import { newAct } from './acts/new-act.ts'
import type { Deps } from './deps.ts'

import { readPrograms } from './programs/load-programs.ts'

export type Publication = Readonly<{ version: number; name: string; from: string }>

export const publicationFields = {
  source: required('source', programSource),
  from: optional('from', moment, undefined),
  note: optional('note', text, ''),
  changeZone: optional('change_zone', boolean, false),
}

export const PUBLICATION_WORDS: RecordWords<typeof publicationFields> = {
  title: 'NewProgram',
  description: 'A program to publish as the next version',
  fields: {
    source: 'the text of the program, YAML or JSON; its shape is at /schemas/program.json',
    from: 'the moment from which it holds; absent: now',
    note: 'a remark for those who read the list of versions',
    changeZone: 'true: publish it even with another time zone than before, where points wait or end by days',
  },
}

/**
 * Publishes a program as the next version, from a moment on, which is now if none is named. A published version never changes.
 * `data` is as it was sent; `by` is the id of the caller's token.
 *
 * Errors: InvalidInput, for a program with the first of its faults and how many more there are; for a moment in the past that recorded
 * orders lie at or after; for another time zone where points know days (decision 80). Unavailable.
 */
export async function publishProgram(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<Publication> {
  const request = readRecord(publicationFields, data, 'data')
  const program = readFaultlessProgram(request.source, 'data.source')
  const { name } = program
  const at = deps.now().toISOString()
  const from = request.from ?? at
  const writeAct = newAct('program-published', { at, by })
  const version = await deps.db.transaction(async (tx, attempt) => {
    await lockPrograms(tx)
    // An earlier attempt may have published it already, if the outcome of its COMMIT stayed unknown.
    const known = attempt > 1 ? await findPublication(tx, { at, source: request.source }) : undefined
    if (known !== undefined) return known
    if (from < at) await refuseUnderOrders(tx, from)
    if (!request.changeZone) await refuseOtherZone(tx, program, from)
    const written = await insertProgram(tx, {
      name,
      publisher: by,
      note: request.note,
      from,
      source: request.source,
      at,
    })
    await writeAct(tx, String(written), { from })
    return written
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

/** In another zone a day begins at another hour: points that wait or end would do so at another moment than players were told. */
async function refuseOtherZone(tx: Queryable, { timeZone }: Program, from: string): Promise<void> {
  const programs = await readPrograms(tx)
  const before = programAt(programs, from)?.program.timeZone
  if (!countsDays(programs) || before === undefined || before === timeZone) return
  throw new InvalidInput(
    'data.source',
    `time-zone: expected ${before} as before, got ${timeZone}: points wait and end by its days. Send change_zone: true (--change-zone) to change it`,
  )
}
