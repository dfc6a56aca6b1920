import type { TSchema } from 'typebox'
import type { SentRecords } from '../ingest/batch.ts'
import type { Scope } from '../ingest/token.ts'
import type { Caller } from '../operations/token-book.ts'

/** What a route gets of a request, in plain data. */
export type Asked = Readonly<{
  /** The value of `data` in the body; undefined where the route has no body or a list of records. */
  data: unknown
  /** The records in `data` where the route has a list of them (`recordsMax`); reading them tells what is no JSON. */
  records: SentRecords
  /** The parameters that the route declares, `false` where absent (decision 12). */
  flags: Readonly<Record<string, boolean>>
  /** Other parameters that the route declares; what it expects of them is its own matter. */
  texts: Readonly<Record<string, string>>
  params: Readonly<Record<string, string>>
  caller: Caller
  /** When the answer must be there, in milliseconds of `performance.now()`. */
  deadlineAt: number
}>

/** How a body of a route may arrive (decision 6). */
export type BodyLimits = Readonly<{
  bytesMax: number
  timeoutMs: number
  bytesPerSecondMin: number
  /** The body is a list of at most so many records. */
  recordsMax?: number
  graceMs?: number
}>

/** One endpoint of the API. `http/app.ts` turns it into a route of the server; what all have in common stands there. */
export type Route = Readonly<{
  methods: readonly string[]
  path: string
  scope: Scope
  /** Absent for a route without a body. */
  body?: BodyLimits
  flags: readonly string[]
  texts?: readonly string[]
  timeoutMs: number
  headers?: Readonly<Record<string, string>>
  handle: (asked: Asked) => Promise<unknown>
  /** What the API description says of it; absent for routes that only our own commands use. */
  described?: Readonly<{ summary: string; data?: TSchema; answer: TSchema }>
}>

/** The limits of decision 6 that an operator may set. */
export type Limits = Readonly<{
  predictionBodyBytesMax: number
  predictionTimeoutMs: number
  upsertBodyBytesMax: number
  upsertTimeoutMs: number
  batchRecordsMax: number
  batchOrdersMax: number
  amountDecimals: number
}>
