/*
 * The messages to and from a job's thread.
 */
import type { ServerConnection } from '../backtests/backtest-messages.ts'

/** Where a database is: a PostgreSQL server, or the data directory of an embedded one. */
export type DatabaseLocation = Readonly<{ server: ServerConnection } | { directory: string }>

/** `done` out of `total` items, which is null if it is unknown until the end. */
export type JobProgress = Readonly<{ of: string; done: number; total: number | null }>

/** `request` is the stored request, `now` the moment (RFC 3339) at which the job begins. */
export type JobStart = Readonly<{ kind: string; request: unknown; now: string; place: DatabaseLocation }>

/** `result` is JSON; `fault` is a sentence for whoever requested the job. */
export type JobMessage = Readonly<{ progress: readonly JobProgress[] } | { result: string } | { fault: string }>
