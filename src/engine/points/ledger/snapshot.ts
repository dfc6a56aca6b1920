/*
 * The stored data that recording orders depends on. It is read before anything is computed.
 */
import type { Movement } from '../lots/movement.ts'
import type { Account, Catalogue, Player, RecordedOrder, Redemption, Referrer } from '../model.ts'
import type { AttributeSet, Instant, OrderId, PlainDate, Points, UserId } from '../units.ts'

/** What a program may use of the player's record. */
export type Profile = Pick<
  Player,
  'region' | 'district' | 'country' | 'gender' | 'dateOfBirth' | 'participates' | 'attributes' | 'hidesId'
>

/** The read half of a map. */
export type Lookup<T> = Pick<ReadonlyMap<string, T>, 'get' | 'has'>

/** The stored state before the first order of a batch. */
export type Snapshot = Readonly<{
  profiles: Lookup<Profile>
  /** Players who were erased (decision 216); absent: none. Their profiles are empty. */
  erased?: Pick<ReadonlySet<UserId>, 'has'>
  accounts: Lookup<Account>
  /** By order id, regardless of the player. */
  orders: Lookup<RecordedOrder | ForeignOrder>
  catalogue: Catalogue
  /** Of the products that have any; absent where none has. */
  attributes?: Lookup<AttributeSet>
  /** The players who have a referral code; at most three of them are needed. */
  codes: Lookup<readonly Referrer[]>
  /** The answer to a window query; undefined if it has not been read. */
  levelPointsIn: (query: WindowQuery) => Points | undefined
  /** The answer to a history query; undefined if it has not been read. */
  history: (query: HistoryQuery) => PlayerHistory | undefined
}>

/** An order that is recorded for a player other than the one it was sent for. */
export type ForeignOrder = Readonly<{ ownerId: UserId }>

/** What a player has been given and has spent, and what is held. */
export type PlayerHistory = Readonly<{
  /** From all entries except those of the order in question. */
  movements: readonly Movement[]
  /** The points among them that have been reinstated. */
  reinstated: Points
  /** What the order in question has spent, by the day it was drawn on; 0 if all of it was given back. */
  own: readonly OwnDebit[]
  /** Holds, including lapsed ones, and the redemption in question. */
  redemptions: readonly Redemption[]
}>

/** Of a player who was never given anything. */
export const EMPTY_HISTORY: PlayerHistory = Object.freeze({ movements: [], reinstated: 0n, own: [], redemptions: [] })

export type OwnDebit = Readonly<{ day: PlainDate; points: Points }>

/** Asks for a player's history apart from one order and one redemption; empty ids where there is none. */
export type HistoryQuery = Readonly<{ userId: UserId; orderId: OrderId; redemptionId: string }>

/** Asks for everything that a player's balance is computed from. */
export function toBalanceQuery(userId: UserId): HistoryQuery {
  return { userId, orderId: '', redemptionId: '' }
}

/** A query that a snapshot may be unable to answer. */
export type SnapshotQuery = WindowQuery | HistoryQuery

/** The key of the answer to a history query. */
export function historyKey({ userId, orderId, redemptionId }: HistoryQuery): string {
  return JSON.stringify([userId, orderId, redemptionId])
}

/** Asks for the sum of a player's level points in (`from`, `to`], excluding one order. */
export type WindowQuery = Readonly<{ userId: UserId; orderId: OrderId; from: Instant; to: Instant }>

/** The key of the answer to a window query. */
export function windowKey({ userId, orderId, from, to }: WindowQuery): string {
  return JSON.stringify([userId, orderId, from, to])
}
