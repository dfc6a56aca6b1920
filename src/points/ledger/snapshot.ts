/*
 * What recording orders knows of what is stored. The store reads it before anything is computed.
 */
import type { Movement } from '../lots.ts'
import type { Account, Catalogue, Entry, Player, RecordedOrder, Redemption } from '../model.ts'
import type { Day, Moment, OrderId, Points, UserId } from '../units.ts'

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
  /** Answers to history questions, by `historyKey`. */
  histories: Lookup<PlayerHistory>
  /** Entries by player that `sums` and `histories` do not include yet. */
  entriesOf: Lookup<readonly Entry[]>
}>

/** An order that is recorded for a player other than the one who sends it. */
export type ForeignOrder = Readonly<{ ownerId: UserId }>

/** What was given to a player and spent, and what is held. */
export type PlayerHistory = Readonly<{
  /** Of all entries but those of the order in question. */
  movements: readonly Movement[]
  /** What the order in question has spent, by the day that it draws on; 0 where all of it was given back. */
  own: readonly OwnDebit[]
  /** Holds, those that have lapsed too, and the redemption in question. */
  redemptions: readonly Redemption[]
}>

export type OwnDebit = Readonly<{ day: Day; points: Points }>

/** Asks for a player's history beside one order and redemption; empty texts where there is none. */
export type HistoryQuestion = Readonly<{ userId: UserId; orderId: OrderId; redemptionId: string }>

/** Asks for all that a player's balance is computed of. */
export function balanceQuestion(userId: UserId): HistoryQuestion {
  return { userId, orderId: '', redemptionId: '' }
}

/** What a snapshot may lack. */
export type Question = WindowQuestion | HistoryQuestion

/** The key under which the answer to a history question is kept. */
export function historyKey({ userId, orderId, redemptionId }: HistoryQuestion): string {
  return JSON.stringify([userId, orderId, redemptionId])
}

/** Asks for the sum of a player's level points in (`from`, `to`], leaving one order out. */
export type WindowQuestion = Readonly<{ userId: UserId; orderId: OrderId; from: Moment; to: Moment }>

/** The key under which the answer to a window question is kept. */
export function windowKey({ userId, orderId, from, to }: WindowQuestion): string {
  return JSON.stringify([userId, orderId, from, to])
}
