import type { Database, Ground, Size } from './ground.ts'

/** What a measurement is told. */
export type Round = Readonly<{
  ground: Ground
  database: Database
  /** Of each measured thing; the medians count. */
  runs: number
  /** Players, and records of a bulk measurement; products are a tenth of it where both are there. */
  records: number
  /** How long a load lasts that has no end of its own. */
  seconds: number
  /** The many players of growth, where they are told. */
  players?: number
}>

/** What is there before a measurement that needs both. */
export function sizeOf(records: number): Size {
  return { players: records, products: Math.ceil(records / 10) }
}
