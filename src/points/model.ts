/*
 * Orders and players, what an order earns, and what the ledger holds of it. Plain readonly data.
 */
import type { Ratio } from './arithmetic.ts'
import type { Amount, Moment, OrderId, Points, Sku, UserId } from './units.ts'

/** One line of an order. `amount` is the line's total; where it is absent, the catalogue's price times `qty` stands in. */
export type Line = Readonly<{ sku?: Sku; amount?: Amount; qty: Amount }>

/** An order in our own names and units (specification 2.1). Contact data is not part of it. */
export type Order = Readonly<{
  id: OrderId
  userId: UserId
  lines: readonly Line[]
  total: Amount
  discount: Amount
  qty?: Amount
  referralCode: string
  subscriptPoints: boolean
  status: OrderStatus
  /** RFC 3339, UTC. */
  at: Moment
}>

/** An order as it was sent: without a moment it keeps the one that is recorded, or takes that of its arrival. */
export type SentOrder = Omit<Order, 'at'> & Readonly<{ at?: Moment }>

export type OrderStatus = 'placed' | 'cancelled' | 'returned'

/**
 * What the engine knows of the person who orders, all without this order. For an unknown one texts are empty and numbers 0.
 * An order keeps the facts of its first recording: every later revision is computed with them.
 */
export type Player = Readonly<{
  known: boolean
  /** The balance. */
  points: Points
  /** The points that count for the level. */
  levelPoints: Points
  region: string
  district: string
  country: string
  gender: string
  /** YYYY-MM-DD */
  dateOfBirth?: string
  /** How many orders are recorded. */
  orders: bigint
}>

/** A player that was never sent (decision 24). */
export const UNKNOWN_PLAYER: Player = Object.freeze({
  known: false,
  points: 0n,
  levelPoints: 0n,
  region: '',
  district: '',
  country: '',
  gender: '',
  orders: 0n,
})

/** Prices by product; a product without one is unknown. */
export type Catalogue = ReadonlyMap<Sku, Amount | undefined>

/** Where an order stands besides its player and prices. */
export type OrderContext = Readonly<{
  /** The points that count at the order's moment, without this order's. */
  levelPoints: Points
  /** The points that this order has given so far, where it is recorded already. */
  recorded?: Points
  /** What the order's referral code comes to. */
  referral: ReferralCase
}>

/** A referral code that holds names its referrer; every other one says why it gives nothing. */
export type ReferralCase = Readonly<{ referrerId: UserId } | { why: ReferralRefusal }>

export type ReferralRefusal = 'no-code' | 'not-first' | 'unknown' | 'shared'

/** Why a rule gave what it gave: exact numbers by name. */
export type Because = Readonly<Record<string, Ratio>>

export type Earned = Readonly<{ rule: string; points: Ratio; because: Because }>

/** A line of the program that gave nothing. `why` is for people; the referral's line has a `kind` for machines, too (decision 110). */
export type NotApplied = Readonly<{ rule: string; kind?: ReferralNotApplied; why: string }>

export type ReferralNotApplied =
  | 'no-code'
  | 'not-first'
  | 'unknown-code'
  | 'shared-code'
  | 'not-placed'
  /** The code counted, and gives its friend nothing: the referrer may get points. */
  | 'gives-nothing'

/** Something worth knowing about the order that changes no rule: `kind` for machines, `text` for people. */
export type Note = Readonly<{
  kind: 'unknown-product' | 'price-differs' | 'no-price' | 'unknown-referral-code' | 'more'
  text: string
  line?: number
  sku?: Sku
}>

export type LevelChange = Readonly<{
  before: string
  after: string
  upgraded: boolean
  /** What is recorded of this order holds a higher level than this state of it would (decision 29). */
  lowered: boolean
  /** The points that count, this order's included. */
  levelPoints: Points
  next?: Readonly<{ name: string; missing: Points }>
}>

/** What an order earns, and why: `earned` and `rounding` add up to `points` exactly. `referrer` is who gets points for it, too. */
export type Prediction = Readonly<{
  points: Points
  earned: readonly Earned[]
  notApplied: readonly NotApplied[]
  rounding: Ratio
  level: LevelChange
  notes: readonly Note[]
  referrer?: Readonly<{ userId: UserId; points: Points; counts: boolean }>
  program: Readonly<{ version: number; name: string }>
}>

/** Sums over the entries of a player. `entries` is the sequence of the last one, `rev` counts the changes. */
export type Account = Readonly<{
  points: Points
  levelPoints: Points
  orders: bigint
  entries: bigint
  /** The first order ever recorded as placed: the one that a referral counts for. */
  firstOrderId?: OrderId
  rev: bigint
}>

/**
 * What an order was computed with when it was first recorded, and is computed with ever after. A price or a referral code that a
 * later revision brings in is added as it is then.
 */
export type Facts = Readonly<{
  program: number
  player: Player
  /** Undefined: the product was unknown. */
  prices: Catalogue
  codes: ReadonlyMap<string, CodeOwner>
}>

/** Whom a referral code stands for. */
export type CodeOwner = Readonly<{ referrerId: UserId } | { why: 'unknown' | 'shared' }>

/**
 * Digests of what a prediction is computed from: what the order says, its player's facts, and the catalogue's prices for its lines.
 * 16 characters of hex each.
 */
export type Digests = Readonly<{ order: string; player: string; prices: string }>

/** An order as recorded, and what it gives: `points` to its player, `referrer` to another one. Points are what its entries sum to. */
export type RecordedOrder = Readonly<{
  order: Order
  facts: Facts
  points: Points
  referrer?: Readonly<{ userId: UserId; points: Points }>
  rev: bigint
  /** When this revision arrived. */
  recordedAt: Moment
  /** Of a changed order: digests of what it said when it was first recorded. Absent where nobody has kept them. */
  first?: Pick<Digests, 'order' | 'prices'>
}>

/** A line of the ledger. It never changes; a correction is a line of its own. */
export type Entry = Readonly<{
  userId: UserId
  /** Counts from 1 within the player. */
  seq: bigint
  kind: 'order' | 'referral' | 'adjustment'
  /** Signed. */
  points: Points
  /** Whether they count for the level. */
  counts: boolean
  /** RFC 3339, UTC; an order's entries carry the order's moment. */
  at: Moment
  order?: Readonly<{ id: OrderId; revision: bigint; program: number; prediction?: Prediction }>
  adjustment?: Readonly<{ id: string; reason: string }>
}>
