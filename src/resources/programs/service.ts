import type { Queryable } from '../../database/db/driver.ts'

import { boolean, moment, text } from '../../engine/ingest/fields.ts'
import { programSource, readValidProgram } from '../../engine/ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import type { Program } from '../../engine/points/program-model.ts'
import { countsDays, programAt } from '../../engine/points/programs.ts'
import { InvalidInput } from '../../errors.ts'
import { findLastOrderFrom } from '../../ledger/recorded-orders.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import type { Deps } from '../../shared/deps.ts'
import { findPublication, insertProgram, lockPrograms } from './store.ts'

import { readPrograms } from './stored-programs.ts'

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
    from: 'the moment from which it is in effect; absent: now',
    note: 'a remark for those who read the list of versions',
    changeZone:
      'true: publish it even with another time zone than before, although days decide when points become usable or expire',
  },
}

/**
 * Publishes a program as the next version, in effect from a given moment, by default now. A published version never changes.
 * `data` is unvalidated input; `by` is the id of the caller's token.
 *
 * Errors: InvalidInput for a faulty program, with its first fault and how many more there are; for a moment in the past with recorded
 * orders at or after it; for another time zone if balances depend on days (decision 80). Unavailable.
 */
export async function publishProgram(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<Publication> {
  const request = readRecord(publicationFields, data, 'data')
  const program = readValidProgram(request.source, 'data.source')
  const { name } = program
  const at = deps.now().toISOString()
  const from = request.from ?? at
  const writeAct = prepareAct('program-published', { at, by })
  const version = await deps.db.transaction(async (tx) => {
    await lockPrograms(tx)
    const known = tx.mayHaveCommitted ? await findPublication(tx, { at, source: request.source }) : undefined
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

/** A program that starts in the past would take effect for orders already recorded under the program that was then in effect. */
async function refuseUnderOrders(tx: Queryable, from: string): Promise<void> {
  const order = await findLastOrderFrom(tx, from)
  if (order === undefined) return
  const expected = 'a moment that is not past, or one after every recorded order'
  throw new InvalidInput(
    'data.from',
    `expected ${expected}: order ${shortened(order.order_id)} was placed at ${order.ordered_at}`,
  )
}

/** In another zone days begin at another hour: points would become usable, or expire, at another moment than announced to players. */
async function refuseOtherZone(tx: Queryable, { timeZone }: Program, from: string): Promise<void> {
  const programs = await readPrograms(tx)
  const before = programAt(programs, from)?.program.timeZone
  if (!countsDays(programs) || before === undefined || before === timeZone) return
  throw new InvalidInput(
    'data.source',
    `time-zone: expected ${before} as before, got ${timeZone}: the days of the time zone decide when points become usable and expire. Send change_zone: true (--change-zone) to change it`,
  )
}
