/*
 * What a thread of a backtest is started with, asked and answers.
 */
import type { PlayerRange } from '../../store/backtest.ts'
import type { ExportedSnapshot } from '../../store/db/shared-snapshot.ts'
import type { PostgresOptions } from '../../store/postgres/driver.ts'
import type { Tally } from '../../whatif/tally.ts'
import type { BacktestRequest, Credit } from './backtest-range.ts'

/** A PostgreSQL server, and how a connection behaves, as plain data. */
export type ServerConnection = Readonly<{ url: string }> & Omit<PostgresOptions, 'poolMax'>

/** What a thread is started with: where it reads, which state of the database it sees, and what is asked. */
export type BacktestStart = Readonly<{
  server: ServerConnection
  snapshot: ExportedSnapshot
  request: BacktestRequest
}>

export type BacktestQuestion = Readonly<
  { range: PlayerRange } & ({ ask: 'credits' } | { ask: 'tally'; credits: readonly Credit[] })
>

/** `fault` is an error whose message the caller gets as it is; of any other the thread ends. */
export type BacktestAnswer = Readonly<
  { credits: Credit[] } | { tally: Tally } | { fault: 'Unavailable' | 'OperatorError'; message: string }
>
