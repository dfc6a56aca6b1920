/*
 * All that recording orders knows of what is stored. The store reads it before anything is computed.
 */
import type { Account, Catalogue, Entry, Player, RecordedOrder } from '../model.ts'
import type { Moment, OrderId, UserId } from '../units.ts'

/** What a program may know of a person from the player's record. */
export type Profile = Pick<Player, 'region' | 'district' | 'country' | 'gender' | 'dateOfBirth'>

/** The read half of a map. */
export type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get' | 'has'>

/** The state before the first order of a batch. What is not stored is absent. */
export type Snapshot = Readonly<{
  profiles: Lookup<Profile>
  accounts: Lookup<Account>
  /** By order id, whichever player they belong to. */
  orders: Lookup<RecordedOrder | ForeignOrder>
  catalogue: Catalogue
  /** The players who bear a referral code; of many, three are enough. */
  codes: Lookup<readonly string[]>
  /** Answers to window questions, by `windowKey`. */
  sums: ReadonlyMap<string, bigint>
  /** Entries by player that `sums` does not include yet. */
  entriesOf: Lookup<readonly Entry[]>
}>

/** An order that is recorded for a player other than the one who sends it. */
export type ForeignOrder = Readonly<{ ownerId: UserId }>

/** Asks for the sum of a player's level points in (`from`, `to`], leaving one order out. */
export type WindowQuestion = Readonly<{ userId: UserId; orderId: OrderId; from: Moment; to: Moment }>

export function windowKey({ userId, orderId, from, to }: WindowQuestion): string {
  return JSON.stringify([userId, orderId, from, to])
}
