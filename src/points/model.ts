/*
 * Orders and players, what an order earns, and what the ledger holds of it. Plain readonly data.
 */
import type { Ratio } from './arithmetic.ts'
import type { Amount, Day, Moment, OrderId, Points, Sku, UserId } from './units.ts'

/** The most lines of an order (decision 6). */
export const ORDER_LINES_MAX = 1_000

/** One line of an order. `amount` is the line's total; where it is absent, the catalogue's price times `qty` counts. */
export type Line = Readonly<{ sku?: Sku; amount?: Amount; qty: Amount }>

/** An order, without contact data. */
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
  /** When it was delivered or paid, whatever the shop takes for final; absent: not yet. */
  fulfilledAt?: Moment
  /** What points pay of it; absent: none do. */
  pointsRedeemed?: Points
  /** The hold that they are taken from. */
  redemptionId?: string
}>

/** An order, and the part of its net that points pay and that therefore earns nothing; absent: none. */
export type PaidOrder = Order & Readonly<{ paid?: Amount }>

/**
 * An order as it was sent. Without a moment it keeps the recorded one, or takes that of its arrival; once fulfilled it stays fulfilled. `stateVersion` is
 * the sender's number of this state (decision 71). `decimals` is absent where every amount was written without a point.
 */
export type SentOrder = Omit<Order, 'at'> & Readonly<{ at?: Moment; stateVersion?: number; decimals?: WrittenDecimals }>

/** How many digits of an order's amounts were written after the point, zeros too (decision 69). */
export type WrittenDecimals = Readonly<{ total: number; discount: number }>

export type OrderStatus = 'placed' | 'cancelled' | 'returned'

/** What the engine knows of the player who orders, without this order. For an unknown player texts are empty and numbers 0. */
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

/** A player who was never sent (decision 24). */
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

/** What a prediction depends on besides the order, its player and its prices. */
export type OrderContext = Readonly<{
  /** The points that count at the order's moment, without this order's. */
  levelPoints: Points
  /** The points that this order has earned so far, where it is recorded already. */
  recorded?: Points
  /** What the order's referral code comes to. */
  referral: ReferralCase
}>

/** The referrer that the order's code names, or why it names none. */
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

/** A remark on the order that changes no points: `kind` for machines, `text` for people. */
export type Note = Readonly<{
  kind:
    | 'paid-with-points'
    | 'unknown-product'
    | 'price-differs'
    | 'no-price'
    | 'unknown-referral-code'
    | 'stale'
    | 'conflict'
    | 'more'
  text: string
  line?: number
  sku?: Sku
}>

export type LevelChange = Readonly<{
  before: string
  after: string
  upgraded: boolean
  /** The order as recorded reaches a higher level than this state of it does (decision 29). */
  lowered: boolean
  /** The points that count for the level, this order's included. */
  levelPoints: Points
  next?: Readonly<{ name: string; missing: Points }>
}>

/** What an order earns, and why: `earned` and `rounding` add up to `points` exactly. `referrer` is the player who gets points for the referral. */
export type Prediction = Readonly<{
  points: Points
  earned: readonly Earned[]
  notApplied: readonly NotApplied[]
  rounding: Ratio
  level: LevelChange
  notes: readonly Note[]
  referrer?: Readonly<{ userId: UserId; points: Points; counts: boolean }>
  /** Why it earns nothing, where it does. */
  nothing?: NothingReason
  /** The points that the order redeems; absent: none. */
  redeemed?: Points
  /** When what it earns is usable and ends; absent where the program has no such days. */
  terms?: Terms
  program: Readonly<{ version: number; name: string }>
}>

/** Why an order earns nothing. `ceiling`: an `at-most` took everything away. `rounded-away`: it came to less than one point. */
export const NOTHING_REASONS = [
  'not-placed',
  'nothing-paid',
  'no-price',
  'no-rule-applies',
  'ceiling',
  'rounded-away',
  'other',
] as const
export type NothingReason = (typeof NOTHING_REASONS)[number]

/** The same as statistics tell it: entries from before there were reasons have none. */
export const TOLD_NOTHING_REASONS = [...NOTHING_REASONS, 'unknown'] as const
export type ToldNothingReason = (typeof TOLD_NOTHING_REASONS)[number]

/** The sums over a player's entries. `entries` is the sequence number of the last one, `rev` counts the writes. */
export type Account = Readonly<{
  points: Points
  levelPoints: Points
  orders: bigint
  entries: bigint
  /** The first order ever recorded as placed: the one whose referral counts. */
  firstOrderId?: OrderId
  rev: bigint
}>

/**
 * What an order was computed with at its first recording. Later revisions are computed with the same; a price or referral code that
 * they bring in is added as it is then.
 */
export type Facts = Readonly<{
  program: number
  player: Player
  /** Undefined: the product was unknown. */
  prices: Catalogue
  codes: ReadonlyMap<string, CodeOwner>
}>

/** The player whose referral code it is, from the point of view of another one. */
export type CodeOwner = Readonly<{ referrerId: UserId } | { why: 'unknown' | 'shared' }>

/**
 * Digests of what a prediction is computed from: what the order says, its player's facts, and the catalogue's prices for its lines.
 * 16 characters of hex each.
 */
export type Digests = Readonly<{ order: string; player: string; prices: string }>

/** An order as recorded, and what it earns its player and a referrer. Points are the sum of its entries. */
export type RecordedOrder = Readonly<{
  order: Order
  facts: Facts
  points: Points
  referrer?: Readonly<{ userId: UserId; points: Points }>
  rev: bigint
  /** The highest version of its state that was taken; absent where none was sent. */
  stateVersion?: number
  /** When this revision arrived. */
  recordedAt: Moment
  /** Of a changed order: digests of its first recording. Absent where the change was made by a version that kept none. */
  first?: Pick<Digests, 'order' | 'prices'>
}>

/**
 * The first day on which points can be spent, and the first on which they cannot any more; `infinity` where it never comes, or is not known yet.
 * `slides`: orders and spending move the end on (decision 138).
 */
export type Terms = Readonly<{ usableOn: Day; expiresOn: Day; slides: boolean }>

/** A line of the ledger, which is append-only: a correction is another entry. */
export type Entry = Readonly<{
  userId: UserId
  /** Counts from 1 within the player. */
  seq: bigint
  kind: 'order' | 'referral' | 'adjustment' | 'redemption' | 'reinstated'
  /** Signed. */
  points: Points
  /** Whether they count for the level. */
  counts: boolean
  /** RFC 3339, UTC; an order's entries carry the order's moment. */
  at: Moment
  /** The local day of `at`, and that of the recording (decision 80); absent in entries from before there were days. */
  day?: Day
  bookedDay?: Day
  /** Absent where its program has none. */
  terms?: Terms
  order?: Readonly<{
    id: OrderId
    revision: bigint
    program: number
    change?: RevisionChange
    prediction?: Prediction
  }>
  /** `undone`: it takes another one back. */
  adjustment?: Readonly<{ id: string; reason: string; undone?: true }>
  /** The redemption that it spends or gives back; of an order only where it names a hold. */
  redemption?: Readonly<{ id: string; reason?: string }>
  /** The id of the token that it was recorded with. */
  by?: string
}>

export const REDEMPTION_STATES = ['held', 'lapsed', 'confirmed', 'used', 'voided'] as const
export type RedemptionState = (typeof REDEMPTION_STATES)[number]

/**
 * Points that are held or were spent, under an id of the client's (decision 140). A hold lasts until `heldUntil`; it draws on points of `heldOn`
 * when it is confirmed; it has `lapsed` for good once something was spent beside it (decision 154). `orderId`: the order that it is for, or that has
 * `used` it, as whose spending it is booked from then on.
 */
export type Redemption = Readonly<{
  userId: UserId
  id: string
  state: RedemptionState
  points: Points
  reward?: string
  orderId?: OrderId
  program: number
  heldOn: Day
  heldUntil?: Moment
  rev: bigint
  by: string
  reason: string
  createdAt: Moment
}>

/** What a revision did to its order (decision 81): `moved` where it has another moment, and its status stayed. */
export type RevisionChange = 'placed' | 'changed' | 'moved' | 'cancelled' | 'returned'
