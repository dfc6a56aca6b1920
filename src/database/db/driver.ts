/*
 * The interface between transactions and the database drivers.
 * Statements return only text, boolean, jsonb and integers within the safe range, so that both drivers yield the same values.
 */

import type { SessionCounts, SessionUse } from './session-queue.ts'

/** The first argument of every store function: something that runs a statement. */
export interface Queryable {
  /** Runs one statement and returns its rows. Lists are passed as arrays (`= ANY($1)`, `unnest($1::text[])`). */
  query<Row extends object>(sql: string, params?: readonly unknown[]): Promise<Row[]>
}

/** A statement that writes: with its parameters, or a `COPY ... FROM STDIN` with its rows in PostgreSQL's text format. */
export type WriteStep = Readonly<{ sql: string; params?: readonly unknown[]; rows?: string }>

/** The rows that each step has written; with an error, the step after those has failed, and later ones have not run. */
export type WrittenSteps = Readonly<{ rowCounts: readonly number[]; error?: unknown }>

/** One connection of a driver, held by one user at a time. */
export interface Session extends Queryable {
  /** Runs several statements in one text, without parameters or results: for migrations. */
  script(sql: string): Promise<void>
  /** Runs steps in order until one fails. They are sent together, and answered once. */
  batch(steps: readonly WriteStep[]): Promise<WrittenSteps>
  /** Gives the session back. A `broken` one (lost, timed out, in an unknown state) is destroyed or reset before any further use. */
  release(broken: boolean): void
}

/** How many statements are kept prepared. More distinct texts could only be generated ones, and would fill the database's memory. */
export const PREPARED_MAX = 500

/** The interface of a database driver; `transaction.ts` turns it into a `Db`. */
export interface Driver {
  readonly name: 'postgres' | 'pglite'
  /** Whether there are concurrent writers: other sessions of this process, or other processes. If not, transactions run one at a time. */
  readonly hasOtherWriters: boolean
  /** Whether it is a cluster of servers (Citus), as far as is known from the last connection. */
  isCluster(): boolean
  /** Whether a COMMIT may wait for a standby server. */
  readonly hasStandby: boolean
  /** Whether the slices of a request share one transaction, or are committed separately so that others can run in between (decision 42). */
  readonly sliceCommit: 'together' | 'each'
  /** The best number of rows per COPY: those of a typical request, or about 20 ms of a database that blocks everyone else. */
  readonly copyRows: number
  /** The same for updated rows: about 10 ms of such a database, as a read may wait for two clients, or of the thread that writes the statement. */
  readonly changeRows: number
  /** Waits for a turn (session-queue.ts), by default for a `write`, and returns a session. Throws `Unavailable`. */
  session(deadlineAt: number, kind?: SessionUse): Promise<Session>
  /** Drops all connections, those in use on their release, because the server behind them has become read-only. */
  reset?(): void
  /** The data directory of the embedded database; absent on a server, and in memory. */
  readonly directory?: string
  /**
   * Copies the database in its current state to a new data directory, which blocks everyone else. Returns for how long, in milliseconds.
   * Absent if the database is not a directory. `signal` is checked before each file; what has been copied by then is left.
   * Errors: OperatorError if there is too little space; the reason of `signal`.
   */
  copyTo?(directory: string, deadlineAt: number, signal?: AbortSignal): Promise<number>
  /** The bytes of memory that the database uses in this process, for the metrics; undefined if it runs elsewhere. */
  memoryBytes(): number | undefined
  /** For the metrics. */
  sessionCounts(): SessionCounts
  /** Waits for sessions in use, then closes. */
  close(): Promise<void>
}
