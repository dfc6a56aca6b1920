import type { TSchema } from 'typebox'
import type { SentRecords } from '../engine/ingest/batch.ts'
import type { Unavailable } from '../errors.ts'
import type { Caller, Scope } from '../scopes.ts'
import type { BodyLimits, ListBodyLimits } from './body-limits.ts'

/** What a route knows of a request before its body has arrived, as plain data. */
type RequestHead = Readonly<{
  /** The parameters that the route declares, `false` where absent (decision 12). */
  flags: Readonly<Record<string, boolean>>
  /** Other parameters that the route declares, and checks itself. */
  texts: Readonly<Record<string, string>>
  params: Readonly<Record<string, string>>
  caller: Caller
  requestId: string
  /** Whether the connection has closed, so that nobody is waiting for the response (decision 72). */
  isAbandoned: () => boolean
}>

/** The same with the body, once it has arrived. */
export type RouteRequest = RequestHead &
  Readonly<{
    /** The value of `data` in the body; undefined where the route has no body. */
    data: unknown
    /** When the response must be there, in milliseconds of `performance.now()`. */
    deadlineAt: number
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
  response: TSchema
  /** The field of the response that holds the rows of a page: a client may get them in another format (page-formats.ts). */
  rows?: string
  /** The path that replaces this deprecated one (former-route.ts). */
  successor?: string
  described: Description
}>

/** The groups of operations in the API description. */
export const TAGS = {
  predictions: 'Points that an order will earn',
  records: 'Bulk upserts of players, products and orders',
  accounts: "Players' balances, levels and entries, and manual adjustments",
  redemptions: 'Holds, and redemptions without an order',
  players: 'Players as stored',
  catalogue: 'Products as stored',
  orders: 'Orders as recorded',
  statistics: 'Statistics by day, month or date range',
  programs: 'The points program and its versions',
  settings: 'Settings of the shop, shared by all processes',
  sessions: 'Console sessions and audit log',
  jobs: 'Background jobs on a snapshot',
  tokens: 'API tokens and their scopes',
  service: 'Health checks, metrics and schemas, without a token',
} as const

export type Tag = keyof typeof TAGS

/** An operation in the API description. */
export type Description<Response = unknown> = Readonly<{
  /** Its name in generated clients. */
  operationId: string
  tag: Tag
  summary: string
  /** What the summary leaves out; Markdown. */
  description: string
  /** The schema of `data` in the body. */
  data?: TSchema
  /** The schema of `theirs` in a 409; absent where there is none. */
  conflict?: TSchema
  /** Parameters that mean something else here than in `PARAMETERS`. */
  parameters?: Readonly<Record<string, TSchema>>
  /** Whether it is refused with 409 if the player's points do not suffice. */
  redeems?: true
  /** A request and its response. A test sends it (test/contract/api-examples.test.ts). */
  example: Readonly<{ data?: unknown; response: Response }>
}>

/** Answers once its body has arrived; `body` is absent for a route without one. */
export type SingleRoute = RouteBase &
  Readonly<{
    list?: undefined
    body?: BodyLimits
    timeoutMs: number
    /**
     * The error for a request that could hardly be answered in time if it came now; asked before any of it but the token is looked at, and then with
     * `dataIn`, if its body is small and has come with its head: the value of `data`. Errors of `dataIn`: InvalidInput.
     */
    refusal?: (dataIn?: () => unknown) => Unavailable | undefined
    /** Whether its usual requests, whose small bodies come with their heads, are answered without the framework; it has no parameters in its path. */
    isDirect?: true
    /** Errors: TooManyRequests, Unavailable if the work that this token asks for has no room; asked before the body is read. */
    assertHasRoom?: (tokenId: string) => Promise<void>
    handle: (request: RouteRequest) => Promise<unknown>
  }>

/**
 * Reads a list of records while it arrives. Nothing may be written before its end, and the response waits for it. Invalid JSON within the
 * list is found while it is read.
 */
export type ListRoute = RouteBase &
  Readonly<{
    list: ListBodyLimits
    handle: (request: RequestHead & Readonly<{ records: SentRecords }>) => Promise<unknown>
  }>
