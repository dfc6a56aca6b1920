/*
 * What a kind of job is, and the messages to and from a job's thread.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Queryable } from '../../database/db/driver.ts'
import type { Db } from '../../database/db/transaction.ts'
import { oneOf } from '../../engine/ingest/fields.ts'
import {
  type RecordFields,
  type RecordOf,
  type RecordWords,
  readRecord,
  required,
  schemaOf,
} from '../../engine/ingest/record.ts'
import { InvalidInput } from '../../errors.ts'
import type { Caller, Scope } from '../../scopes.ts'
import type { ServerConnection } from '../backtests/backtest-messages.ts'

/** Where a database is: a PostgreSQL server, or the data directory of an embedded one. */
export type DatabaseLocation = Readonly<{ server: ServerConnection } | { directory: string }>

/** `done` out of `total` items, which is null if it is unknown until the end. */
export type JobProgress = Readonly<{ of: string; done: number; total: number | null }>

/** `request` is the stored request, `now` the moment (RFC 3339) at which the job begins. */
export type JobStart = Readonly<{
  kind: string
  request: unknown
  now: string
  place: DatabaseLocation
  files: string | undefined
}>

/** `result` is JSON; `issue` is a sentence for whoever requested the job. */
export type JobMessage = Readonly<{ progress: readonly JobProgress[] } | { result: string } | { issue: string }>

/** What a job gets to work with. */
type JobContext = Readonly<{
  /** Opens the job's database: a copy made when the job began, or the PostgreSQL database itself; for a job that works on the service, its own. */
  openDatabase: () => Promise<Db>
  /** The server of that database, for additional threads; undefined for a copy. */
  server: ServerConnection | undefined
  /** When the job began, RFC 3339. */
  now: string
  /** An empty directory for what the command that asked for the job takes away; undefined on a server, which such a command reads itself. */
  files: string | undefined
  report: (progress: readonly JobProgress[]) => void
  /** Whether a job that works on the service should stop. Jobs in threads are terminated instead. */
  isStopped: () => boolean
}>

/** What the work of a kind gets. `isForSupport`: whoever asked has the scope `support`. */
type WorkContext = JobContext & Readonly<{ isForSupport: boolean }>

/** The mark in the stored request of a caller with the scope `support`; without it a job leaves out what they may not see. */
const FOR_SUPPORT = 'for_support'

/** What a job works on: only its request (`nothing`) or a snapshot of the database, both in a thread; or the service's own database, to write. */
type JobDataSource = 'nothing' | 'snapshot' | 'service'

export type JobKind<Result extends TObject = TObject> = Readonly<{
  /** Which scope may start it. */
  scope: Scope
  worksOn: JobDataSource
  /** The schema of `data`, including its kind. */
  schema: (kind: string) => TSchema
  /** The parts of `data` to store. Errors: InvalidInput. */
  requestIn: (data: unknown, now: Date, caller: Pick<Caller, 'scopes'>) => Readonly<Record<string, unknown>>
  /** The schema of the result. What it does not declare is hidden; `personal` texts are masked. */
  result: Result
  /** Stores what the end of such a job means for others, in the transaction that stores its result. `at` is the moment of its snapshot. */
  noteDone?: (tx: Queryable, at: string) => Promise<void>
  /** Runs the job and returns its result, ready for JSON. Errors: OperatorError, Unavailable. */
  run: (data: unknown, context: JobContext) => Promise<object>
}>

type KindOf<Fields extends RecordFields, Result extends TObject> = Readonly<{
  scope: Scope
  worksOn: JobDataSource
  fields: Fields
  words: RecordWords<Fields>
  result: Result
  /** Checks rules about several fields. Errors: InvalidInput. */
  check?: (request: RecordOf<Fields>, now: Date) => void
  noteDone?: JobKind['noteDone']
  run: (request: RecordOf<Fields>, context: WorkContext) => Promise<Static<Result>>
}>

/** Creates a kind of job from the table of its fields. `run` imports by itself what only the job needs. */
export function jobKind<Fields extends RecordFields, Result extends TObject>(
  kind: KindOf<Fields, Result>,
): JobKind<Result> {
  const { scope, worksOn, fields, words, result, check, noteDone, run } = kind
  return {
    scope,
    worksOn,
    result,
    ...(noteDone === undefined ? {} : { noteDone }),
    schema: (name) =>
      schemaOf(
        { kind: required('kind', oneOf([name])), ...(fields as RecordFields) },
        { ...words, fields: { kind: 'kind of job', ...words.fields } },
      ),
    requestIn: (data, now, { scopes }) => {
      check?.(readRecord(fields, data, 'data'), now)
      const sent = data as Readonly<Record<string, unknown>>
      const wires = Object.values(fields).map(({ wire }) => wire)
      const entries = wires.filter((wire) => Object.hasOwn(sent, wire)).map((wire) => [wire, sent[wire]])
      return Object.fromEntries(scopes.has('support') ? [...entries, [FOR_SUPPORT, true]] : entries)
    },
    run: (data, context) => {
      const isForSupport = Object.hasOwn(data as object, FOR_SUPPORT)
      return run(readRecord(fields, data, 'data'), { ...context, isForSupport })
    },
  }
}

/** Errors: InvalidInput if the range between two moments is empty. */
export function assertRange(from: string | undefined, to: string | undefined): void {
  if (from !== undefined && to !== undefined && from >= to)
    throw new InvalidInput('data.to', `expected a timestamp after from, got "${to}"`)
}
