/*
 * What the rest of the store may ask of a database, whichever driver runs it.
 * Statements return only text, boolean, jsonb and integers within the safe range, so that both drivers answer equal values.
 */

import type { TurnKind } from './turns.ts'

/** What every store function takes as its first argument: a place where one statement runs. */
export interface Queryable {
  /** The rows of one statement. Lists go in as arrays (`= ANY($1)`, `unnest($1::text[])`). */
  query<Row extends object>(sql: string, params?: readonly unknown[]): Promise<Row[]>
}

/** One connection of a driver, held by one user at a time. */
export interface Session extends Queryable {
  /** Several statements in one text, without parameters or answers: migrations. */
  script(sql: string): Promise<void>
  /** Sends rows to a `COPY ... FROM STDIN`, in PostgreSQL's text format. */
  copy(sql: string, rows: string): Promise<void>
  /** Gives the session back. A `broken` one (lost, timed out, state unknown) is destroyed or reset, never used again as it is. */
  release(broken: boolean): void
}

/** So many texts of statements are kept prepared. More different ones are made, not written, and would fill the memory of the database. */
export const PREPARED_MAX = 500

/** What a database driver implements; `transaction.ts` turns it into a `Db`. */
export interface Driver {
  readonly name: 'postgres' | 'pglite'
  /** Whether others write at the same time: more sessions of this process, other processes. Otherwise transactions run one after another. */
  readonly hasOtherWriters: boolean
  /** Whether a COMMIT may wait for a standby server. */
  readonly hasStandby: boolean
  /** Whether the slices of one request are committed as one transaction, or each by itself so that others pass between (decision 43). */
  readonly sliceCommit: 'together' | 'each'
  /** How many rows are best copied in at a time: those of a usual request, or some 20 ms of a database that all others wait for. */
  readonly copyRows: number
  /** The same of rows that are changed; of these some 10 ms, as two clients change more of them at a time, and each question waits for both. */
  readonly changeRows: number
  /** Waits for a session in turn, see turns.ts; a `write` where no kind is given. Throws `Unavailable`. */
  session(deadlineAt: number, kind?: TurnKind): Promise<Session>
  /** Lets go of every connection made so far, those in use at their release: the server behind them has become read-only. */
  reset?(): void
  /**
   * Copies the database as it is now to a data directory of its own, which is made; everybody waits meanwhile. Answers for how long, in ms.
   * Absent where the database is no directory. Errors: OperatorError where there is no room.
   */
  copyTo?(directory: string, deadlineAt: number): Promise<number>
  /** Bytes that the database takes in this process, for the metrics; undefined where it runs elsewhere. */
  memoryBytes(): number | undefined
  /** Waits for sessions in use, then closes. */
  close(): Promise<void>
}
