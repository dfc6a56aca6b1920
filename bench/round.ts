import type { Database, Ground, Size } from './ground.ts'

/** The parameters of a measurement. */
export type Round = Readonly<{
  ground: Ground
  database: Database
  /** How often each thing is measured; the median is reported. */
  runs: number
  /** The number of players, and of records in a bulk measurement. Where there are products too, they are a tenth of it. */
  records: number
  /** How long a load runs that would not end by itself. */
  seconds: number
  /** The large number of players that growth measures, absent for its default; and of accounts beside the statistics, absent for none. */
  players?: number
}>

/** The data that a measurement of players and products starts with. */
export function sizeOf(records: number): Size {
  return { players: records, products: Math.ceil(records / 10) }
}
