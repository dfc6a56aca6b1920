/*
 * What can be done with published versions of the program.
 */

import { changeAndRecord } from '../../audit-log/record-acts.ts'
import type { Queryable } from '../../database/db/driver.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { boolean, text, timestamp } from '../../engine/ingest/fields.ts'
import { programSource, readValidProgram } from '../../engine/ingest/program-text.ts'
import { optional, type RecordWords, readRecord, required } from '../../engine/ingest/record.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { countsDays, programAt } from '../../engine/points/programs.ts'
import { STARTER_PROGRAM } from '../../engine/points/starter-program.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { findLastOrderFrom } from '../../ledger/recorded-orders.ts'
import {
  insertFirstProgram,
  insertProgram,
  lockPrograms,
  markProgramWithdrawn,
  type StoredProgram,
  selectPrograms,
} from './store.ts'
import { readPrograms } from './stored-programs.ts'

/** A published version with its source. */
export type ShownProgram = Omit<StoredProgram, 'rounds_first_days'>

/** A published version without its source, and whether it is in effect now. */
export type ListedProgram = Omit<ShownProgram, 'source'> & Readonly<{ inEffectNow: boolean }>

/** All published versions, oldest first, including withdrawn ones. Errors: Unavailable. */
export async function listPrograms(
  { db, now, programs }: Pick<Deps, 'db' | 'now' | 'programs'>,
  deadlineAt: number,
): Promise<ListedProgram[]> {
  const current = programAt(programs(), now().toISOString())?.version
  const stored = await selectPrograms(readerOf(db, deadlineAt))
  return stored.map(({ source: _, rounds_first_days: __, ...program }) => ({
    ...program,
    inEffectNow: program.version === current,
  }))
}

/**
 * A published version with its source. `version` is its number as a string, or `current` for the one in effect now.
 * Errors: NotFound, Unavailable.
 */
export async function showProgram(
  { db, now, programs }: Pick<Deps, 'db' | 'now' | 'programs'>,
  version: string,
  deadlineAt: number,
): Promise<ShownProgram> {
  const current = programAt(programs(), now().toISOString())?.version
  const wanted = version === 'current' ? String(current) : version
  const stored = await selectPrograms(readerOf(db, deadlineAt))
  const published = stored.find((program) => String(program.version) === wanted)
  if (published === undefined) throw new NotFound(`program version ${shortened(version)} not found`)
  const { rounds_first_days: _, ...shown } = published
  return shown
}

export type Publication = Readonly<{ version: number; name: string; from: string }>

export const publicationFields = {
  source: required('source', programSource),
  from: optional('from', timestamp, undefined),
  note: optional('note', text, ''),
  changeZone: optional('change_zone', boolean, false),
}

export const PUBLICATION_WORDS: RecordWords<typeof publicationFields> = {
  title: 'NewProgram',
  description: 'A program to publish as the next version',
  fields: {
    source: 'program text, YAML or JSON; schema: /schemas/program.json',
    from: 'effective time; default: now',
    note: 'note for the list of versions',
    changeZone: 'if true, allow a new time zone, which shifts when points become usable and expire',
  },
}

/** A program that is valid, and what its publication needs of it. */
export type RequestedPublication = ReturnType<typeof readPublication>

/**
 * The publication requested in `data`, which is unvalidated input.
 * Errors: InvalidInput, for a faulty program with its first issue and how many more there are.
 */
export function readPublication(data: unknown) {
  const request = readRecord(publicationFields, data, 'data')
  const { name, timeZone } = readValidProgram(request.source, 'data.source')
  return { ...request, name, timeZone }
}

/**
 * Publishes a program as the next version, in effect from a given moment, by default now. A published version never changes.
 * `by` is the id of the caller's token.
 *
 * Errors: InvalidInput for a moment in the past with recorded orders at or after it; for another time zone if balances depend on days
 * (decision 80). Unavailable.
 */
export async function publishProgram(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  request: RequestedPublication,
  by: string,
  deadlineAt: number,
): Promise<Publication> {
  const { name, timeZone, note, source } = request
  const at = deps.now().toISOString()
  const from = request.from ?? at
  const version = await changeAndRecord(deps.db, { act: 'program-published', at, deadlineAt }, async (tx) => {
    await lockPrograms(tx)
    if (from < at) await refuseUnderOrders(tx, from)
    if (!request.changeZone) await refuseOtherZone(tx, timeZone, from)
    const newVersion = await insertProgram(tx, { name, publisher: by, note, from, source, at })
    return { response: newVersion, record: { by, subject: String(newVersion), detail: { from } } }
  })
  deps.observe({ kind: 'program-published', version, by })
  return { version, name, from }
}

/** A program that starts in the past would take effect for orders already recorded under the program that was then in effect. */
async function refuseUnderOrders(tx: Queryable, from: string): Promise<void> {
  const order = await findLastOrderFrom(tx, from)
  if (order === undefined) return
  const expected = 'a time in the future, or after every recorded order'
  throw new InvalidInput(
    'data.from',
    `expected ${expected}: order ${shortened(order.order_id)} was placed at ${order.ordered_at}`,
  )
}

/** In another zone days begin at another hour: points would become usable, or expire, at another moment than announced to players. */
async function refuseOtherZone(tx: Queryable, timeZone: string, from: string): Promise<void> {
  const programs = await readPrograms(tx)
  const before = programAt(programs, from)?.program.timeZone
  if (!countsDays(programs) || before === undefined || before === timeZone) return
  throw new InvalidInput(
    'data.source',
    `time-zone: expected ${before}, got ${timeZone}: a new time zone shifts when points become usable and expire; allow it with change_zone: true (--change-zone)`,
  )
}

/** Publishes the starter program unless a program has been published before (docs/programs.md). Errors: Unavailable. */
export async function publishStarterProgram(db: Db, now: Date, deadlineAt: number): Promise<void> {
  const first = {
    name: 'Starter',
    note: 'the program of a new database',
    source: STARTER_PROGRAM,
    at: now.toISOString(),
  }
  await db.transaction((tx) => insertFirstProgram(tx, first), deadlineAt)
}

/**
 * Withdraws a version before it takes effect: it stays listed, but is never in effect. Idempotent. `by` is the id of the caller's token.
 * Errors: NotFound; InvalidInput if the version is already in effect, or there are recorded orders at or after its moment; Unavailable.
 */
export async function withdrawProgram(
  deps: Pick<Deps, 'db' | 'now' | 'observe'>,
  version: string,
  by: string,
  deadlineAt: number,
): Promise<void> {
  const at = deps.now().toISOString()
  const withdrawn = await changeAndRecord(deps.db, { act: 'program-withdrawn', at, deadlineAt }, async (tx) => {
    await lockPrograms(tx)
    const published = (await selectPrograms(tx)).find((one) => String(one.version) === version)
    if (published === undefined) throw new NotFound(`program version ${shortened(version)} not found`)
    if (published.withdrawn_at !== null) return { response: undefined, record: undefined }
    await assertNotInEffect(tx, published.holds_from, at)
    await markProgramWithdrawn(tx, published.version, at, by)
    return { response: published.version, record: { by, subject: version } }
  })
  if (withdrawn !== undefined) deps.observe({ kind: 'program-withdrawn', version: withdrawn, by })
}

async function assertNotInEffect(tx: Queryable, from: string, at: string): Promise<void> {
  const refuse = (why: string): never => {
    throw new InvalidInput('version', `expected a version not yet in effect: ${why}`)
  }
  if (from <= at) refuse(`this one has been in effect ${from === '-infinity' ? 'from the beginning' : `since ${from}`}`)
  // Orders may be dated a few minutes ahead (decision 30).
  const order = await findLastOrderFrom(tx, from)
  if (order !== undefined)
    refuse(`order ${shortened(order.order_id)} was placed under this one, at ${order.ordered_at}`)
}
