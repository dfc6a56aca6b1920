/*
 * What recording orders needs to know of what is stored. The store reads it, all at once; recording asks nothing else.
 */
import type { Account, Catalogue, Entry, Player, RecordedOrder } from '../model.ts'

/** What a program may know of a person, from the player's record. */
export type Profile = Pick<Player, 'region' | 'district' | 'country' | 'gender' | 'dateOfBirth'>

/** What is known by key; a map is one. */
export type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get' | 'has'>

/** Everything that recording some orders needs to know, as it is before the first of them. What is unknown is missing. */
export type Snapshot = Readonly<{
  profiles: Lookup<Profile>
  accounts: Lookup<Account>
  /** By order id, whoever they belong to. */
  orders: Lookup<RecordedOrder | ForeignOrder>
  catalogue: Catalogue
  /** The players who bear a referral code, two or three where there are more. */
  codes: Lookup<readonly string[]>
  /** Answers to questions about windows, by `windowKey`. */
  sums: ReadonlyMap<string, bigint>
  /** Entries by player that the sums do not hold yet. */
  entriesOf: Lookup<readonly Entry[]>
}>

/** An order that is recorded for somebody else than who sends it. */
export type ForeignOrder = Readonly<{ ownerId: string }>

/** The points that count in (`from`, `to`], without those of one order. */
export type WindowQuestion = Readonly<{ userId: string; orderId: string; from: string; to: string }>

export function windowKey({ userId, orderId, from, to }: WindowQuestion): string {
  return JSON.stringify([userId, orderId, from, to])
}
