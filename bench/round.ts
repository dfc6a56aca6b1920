import type { Database, Size, Testbed } from './testbed.ts'

/** The parameters of a measurement. */
export type Round = Readonly<{
  testbed: Testbed
  database: Database
  /** How often each thing is measured; the median is reported. */
  runs: number
  /** The number of players, and of records in a bulk measurement. If there are products, too, they are a tenth of it. */
  records: number
  /** For how long a load runs that would not end by itself. */
  seconds: number
  /** The large number of players that growth measures (absent: its default), or of accounts beside the statistics (absent: none). */
  players?: number
}>

/** The data that a measurement of predictions and orders starts with: each player has an account with a balance. */
export function sizeOf(records: number): Size {
  return { players: records, products: Math.ceil(records / 10), accounts: records }
}
