import type { TSchema } from 'typebox'
import type { Unavailable } from '../errors.ts'
import type { SentRecords } from '../ingest/batch.ts'
import type { Scope } from '../ingest/scopes.ts'
import type { Caller } from '../operations/tokens/token-cache.ts'
import type { Tag } from './tags.ts'

/** What a route gets of a request before its body, in plain data. */
type RequestHead = Readonly<{
  /** The parameters that the route declares, `false` where absent (decision 12). */
  flags: Readonly<Record<string, boolean>>
  /** Other parameters that the route declares; what it expects of them is its own matter. */
  texts: Readonly<Record<string, string>>
  params: Readonly<Record<string, string>>
  caller: Caller
  requestId: string
  /** Whether the connection has closed: then nobody waits for the answer (decision 72). */
  isAbandoned: () => boolean
}>

/** The same with the body, where it has arrived. */
export type RouteRequest = RequestHead &
  Readonly<{
    /** The value of `data` in the body; undefined where the route has no body. */
    data: unknown
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

/** One endpoint of the API. `register-route.ts` turns it into a route of the server; what all have in common is there. */
export type Route = SingleRoute | ListRoute

type RouteBase = Readonly<{
  methods: readonly string[]
  path: string
  /** One of them is enough; the first is the one that a refusal names. */
  scopes: readonly [Scope, ...Scope[]]
  flags: readonly string[]
  texts?: readonly string[]
  headers?: Readonly<Record<string, string>>
  /** The body of a 200. */
  answer: TSchema
  /** The field of the answer that has the rows of a page: a client may get them in another form (page-formats.ts). */
  rows?: string
  described: Description
}>

/** What the API description says of an operation. */
export type Description<Answer = unknown> = Readonly<{
  /** What generated clients call it. */
  operationId: string
  tag: Tag
  summary: string
  /** What the summary leaves out; Markdown. */
  description: string
  /** What the body has under `data`. */
  data?: TSchema
  /** What a 409 has under `theirs`; absent where there is none. */
  conflict?: TSchema
  /** Parameters that mean something else here than in `PARAMETERS`. */
  parameters?: Readonly<Record<string, TSchema>>
  /** Whether the player's points may not allow it: 409. */
  redeems?: true
  /** Of a request and its answer. A test sends it (test/contract/api-examples.test.ts). */
  example: Readonly<{ data?: unknown; answer: Answer }>
}>

/** Answers when its body is there; `body` is absent for a route without one. */
export type SingleRoute = RouteBase &
  Readonly<{
    list?: undefined
    body?: BodyLimits
    timeoutMs: number
    /** What to refuse a request with that comes now and could hardly be answered in time; asked before anything of it is looked at but its token. */
    refusal?: () => Unavailable | undefined
    handle: (request: RouteRequest) => Promise<unknown>
  }>

/**
 * Reads a list of records while it arrives. Nothing may be written before its end; the answer waits for it. What is no JSON within the
 * list, reading finds out.
 */
export type ListRoute = RouteBase &
  Readonly<{
    list: BodyLimits & Readonly<{ recordsMax: number }>
    handle: (request: RequestHead & Readonly<{ records: SentRecords }>) => Promise<unknown>
  }>

/** The limits of decision 6 that an operator may set. */
export type Limits = Readonly<{
  predictionBodyBytesMax: number
  predictionTimeoutMs: number
  upsertBodyBytesMax: number
  upsertTimeoutMs: number
  batchRecordsMax: number
  batchOrdersMax: number
}>
