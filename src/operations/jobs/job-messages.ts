/*
 * What the thread of a job is started with, and what it tells.
 */
import type { ServerConnection } from '../workers/backtest-messages.ts'

/** Where jobs read: a PostgreSQL server, or a copy of the embedded database in a data directory of its own. */
export type JobPlace = Readonly<{ server: ServerConnection } | { directory: string }>

/** `done` of `total` things, which is null where nobody knows it before the end. */
export type JobProgress = Readonly<{ of: string; done: number; total: number | null }>

/** `request` is as it was asked, `now` the moment (RFC 3339) at which the job begins. */
export type JobStart = Readonly<{ kind: string; request: unknown; now: string; place: JobPlace }>

/** `result` is JSON; `fault` is a sentence for whoever asked. */
export type JobMessage = Readonly<{ progress: readonly JobProgress[] } | { result: string } | { fault: string }>
