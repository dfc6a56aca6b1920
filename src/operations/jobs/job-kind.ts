import type { TSchema } from 'typebox'
import { oneOf } from '../../ingest/fields.ts'
import {
  type RecordFields,
  type RecordOf,
  type RecordWords,
  readRecord,
  required,
  schemaOf,
} from '../../ingest/record.ts'
import type { Scope } from '../../ingest/scopes.ts'
import type { Db } from '../../store/db/transaction.ts'
import type { ServerConnection } from '../workers/backtest-messages.ts'
import type { JobProgress } from './job-messages.ts'

/** What a job works with. */
export type JobContext = Readonly<{
  /** The database as it was when the job began: a copy, or on a server whatever the job's own transactions see. For one that works on the service its own. */
  openDatabase: () => Promise<Db>
  /** The server of that database, for more threads; undefined for a copy. */
  server: ServerConnection | undefined
  /** When the job began, RFC 3339. */
  now: string
  report: (progress: readonly JobProgress[]) => void
  /** Whether a job that works on the service is to end. A thread is ended where it stands. */
  isStopped: () => boolean
}>

/** What a job needs: nothing but what it is asked, a snapshot of the database, both in a thread; or the service's own database, to write. */
export type JobPlaceOfWork = 'nothing' | 'snapshot' | 'service'

/** A kind of job, whatever it is asked. */
export type JobKind = Readonly<{
  /** Which scope may start it. */
  scope: Scope
  worksOn: JobPlaceOfWork
  /** What `data` holds, its kind included. */
  schema: (kind: string) => TSchema
  /** What of `data` is kept. Errors: InvalidInput. */
  asked: (data: unknown, now: Date) => Readonly<Record<string, unknown>>
  /** Answers what it found, as JSON can carry it. Errors: OperatorError, Unavailable. */
  run: (data: unknown, context: JobContext) => Promise<object>
}>

type KindOf<Fields extends RecordFields> = Readonly<{
  scope: Scope
  worksOn: JobPlaceOfWork
  fields: Fields
  words: RecordWords<Fields>
  /** Looks at what the fields cannot see. Errors: InvalidInput. */
  check?: (asked: RecordOf<Fields>, now: Date) => void
  run: (asked: RecordOf<Fields>, context: JobContext) => Promise<object>
}>

/** A kind of job from the table of its fields. What only the job needs, `run` imports itself. */
export function jobKind<Fields extends RecordFields>(kind: KindOf<Fields>): JobKind {
  const { scope, worksOn, fields, words, check, run } = kind
  return {
    scope,
    worksOn,
    schema: (name) =>
      schemaOf(
        { kind: required('kind', oneOf([name])), ...(fields as RecordFields) },
        { ...words, fields: { kind: 'what is run', ...words.fields } },
      ),
    asked: (data, now) => {
      check?.(readRecord(fields, data, 'data'), now)
      const sent = data as Readonly<Record<string, unknown>>
      const wires = Object.values(fields).map(({ wire }) => wire)
      return Object.fromEntries(wires.filter((wire) => Object.hasOwn(sent, wire)).map((wire) => [wire, sent[wire]]))
    },
    run: (data, context) => run(readRecord(fields, data, 'data'), context),
  }
}
