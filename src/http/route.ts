import type { TSchema } from 'typebox'
import type { SentRecords } from '../ingest/batch.ts'
import type { Scope } from '../ingest/token.ts'
import type { Caller } from '../operations/tokens/token-cache.ts'

/** What a route gets of a request before its body, in plain data. */
type AskedFirst = Readonly<{
  /** The parameters that the route declares, `false` where absent (decision 12). */
  flags: Readonly<Record<string, boolean>>
  /** Other parameters that the route declares; what it expects of them is its own matter. */
  texts: Readonly<Record<string, string>>
  params: Readonly<Record<string, string>>
  caller: Caller
}>

/** The same with the body, where it has arrived. */
export type Asked = AskedFirst &
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

/** One endpoint of the API. `http/app.ts` turns it into a route of the server; what all have in common stands there. */
export type Route = WholeRoute | ListRoute

type RouteHead = Readonly<{
  methods: readonly string[]
  path: string
  scope: Scope
  flags: readonly string[]
  texts?: readonly string[]
  headers?: Readonly<Record<string, string>>
  /** What the API description says of it; absent for routes that only our own commands use. */
  described?: Readonly<{ summary: string; data?: TSchema; answer: TSchema }>
}>

/** Answers when its body is there; absent for a route without one. */
type WholeRoute = RouteHead &
  Readonly<{
    list?: undefined
    body?: BodyLimits
    timeoutMs: number
    handle: (asked: Asked) => Promise<unknown>
  }>

/**
 * Reads a list of records while it arrives. Nothing may be written before its end; the answer waits for it. Reading tells what is no JSON
 * within the list.
 */
export type ListRoute = RouteHead &
  Readonly<{
    list: BodyLimits & Readonly<{ recordsMax: number }>
    handle: (asked: AskedFirst & Readonly<{ records: SentRecords }>) => Promise<unknown>
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
