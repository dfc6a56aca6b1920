/*
 * The messages to and from the threads of a backtest.
 */

import type { ExportedSnapshot } from '../../database/db/shared-snapshot.ts'
import type { PostgresOptions } from '../../database/postgres/driver.ts'
import type { Tally } from '../../engine/whatif/tally.ts'
import type { BacktestRequest, Credit } from './backtest-range.ts'
import type { PlayerRange } from './store.ts'

/** A PostgreSQL server with connection settings, as plain data. */
export type ServerConnection = Readonly<{ url: string }> & Omit<PostgresOptions, 'poolMax'>

/** What a thread is started with: its server, the snapshot it reads, and the request. */
export type BacktestStart = Readonly<{
  server: ServerConnection
  snapshot: ExportedSnapshot
  request: BacktestRequest
}>

export type BacktestQuestion = Readonly<
  { range: PlayerRange } & ({ ask: 'credits' } | { ask: 'tally'; credits: readonly Credit[] })
>

/** `issue` is an error whose message is passed on to the caller; any other error ends the thread. */
export type BacktestResponse = Readonly<
  { credits: Credit[] } | { tally: Tally } | { issue: 'Unavailable' | 'OperatorError'; message: string }
>
