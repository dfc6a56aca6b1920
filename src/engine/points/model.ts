/*
 * Orders, players, what an order earns, and the ledger. Plain readonly data.
 */
import type { Ratio } from './arithmetic.ts'
import type { Amount, AttributeSet, Instant, OrderId, PlainDate, Points, Sku, UserId } from './units.ts'

/** The maximum number of lines in an order (decision 6). */
export const ORDER_LINES_MAX = 1_000

/** A line of an order. `amount` is the line's total; where absent, the catalogue price times `qty` counts. */
export type Line = Readonly<{ sku?: Sku; amount?: Amount; qty: Amount; refunded?: Refund; attributes?: AttributeSet }>

/** What was given back for a line: an amount, or a quantity at what was paid for it. Never more than the line has. */
export type Refund = Amount | Readonly<{ qty: Amount }>

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
  at: Instant
  /** When it was delivered or paid, whichever the shop considers final; absent: not yet. */
  fulfilledAt?: Instant
  /** The points redeemed to pay for it; absent: none, as in every cancelled or returned order. */
  pointsRedeemed?: Points
  /** The hold that they are taken from. */
  redemptionId?: string
  /** ISO 4217; absent: that of its program. */
  currency?: string
  attributes?: AttributeSet
}>

/** An order, and the parts of its net that points pay for or that were refunded, and that therefore earn nothing; absent: none. */
export type PaidOrder = Order & Readonly<{ paid?: Amount; refunded?: Amount }>

/**
 * An order as it was sent. Without `at` it keeps the recorded moment or, if new, takes that of its arrival; once fulfilled it stays fulfilled. Without
 * `pointsRedeemed` it redeems what is recorded; 0 gives the points back (decision 139).
 * `stateVersion` is the sender's version number of this state (decision 71). `decimals` is absent where every amount was written as a whole number.
 */
export type SentOrder = Omit<Order, 'at'> &
  Readonly<{ at?: Instant; stateVersion?: number; decimals?: WrittenDecimals }>

/** How many decimals an order's amounts were written with, trailing zeros included (decision 69). */
export type WrittenDecimals = Readonly<{ total: number; discount: number }>

export type OrderStatus = 'placed' | 'cancelled' | 'returned'

/** What the engine knows about the player, excluding this order. For an unknown player texts are empty and numbers are 0. */
export type Player = Readonly<{
  known: boolean
  /** The balance; absent in a prediction where it depends on the day and no condition reads it. */
  points?: Points
  /** The points that count for the level. */
  levelPoints: Points
  region: string
  district: string
  country: string
  gender: string
  /** YYYY-MM-DD */
  dateOfBirth?: string
  /** Set if the player has left the program: new orders earn nothing. */
  participates?: false
  /** How many orders are recorded. */
  orders: bigint
  attributes?: AttributeSet
  /** Set where the rules must not show anything about the player's ID: then there are no groups. */
  hidesId?: true
}>

/** A player that was never sent (decision 23). */
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

/** Prices by product; a product without a price is unknown. */
export type Catalogue = ReadonlyMap<Sku, Amount | undefined>

/** What a prediction depends on besides the order, its player and its prices. */
export type OrderContext = Readonly<{
  /** The points that count for the level at the order's moment, excluding this order's. */
  levelPoints: Points
  /** The points that this order has earned so far, if it is already recorded. */
  recorded?: Points
  referral: ReferralCase
  /** What statistics count the order by, where its program says so. */
  statisticsBy?: string
}>

/** The referrer that the order's referral code resolves to, or why there is none. */
export type ReferralCase = Readonly<Referrer | { why: ReferralRefusal }>

export type ReferralRefusal = 'no-code' | 'not-first' | 'unknown' | 'shared' | 'not-participating'

/** The exact numbers, by name, behind what a rule gave. */
export type Because = Readonly<Record<string, Ratio>>

export type Earned = Readonly<{ rule: string; points: Ratio; because: Because }>

/** A rule, or the referral, that gave nothing. `why` is for people; the referral also has a `kind` for machines (decision 110). */
export type NotApplied = Readonly<{ rule: string; kind?: ReferralNotApplied; why: string }>

export type ReferralNotApplied =
  | 'no-code'
  | 'not-first'
  | 'unknown-code'
  | 'shared-code'
  | 'not-placed'
  /** The referred player does not participate. */
  | 'not-participating'
  /** The code counted, but gives the referred player nothing; the referrer may still get points. */
  | 'gives-nothing'

/** A remark on the order that does not affect its points: `kind` for machines, `text` for people. */
export type Note = Readonly<{
  kind:
    | 'paid-with-points'
    | 'unknown-product'
    | 'price-differs'
    | 'no-price'
    | 'unknown-referral-code'
    | 'not-participating'
    | 'attribute-type'
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
  /** The order as already recorded reaches a higher level than this state of it does (decision 29). */
  lowered: boolean
  /** The points that count for the level, including this order's. */
  levelPoints: Points
  next?: Readonly<{ name: string; missing: Points }>
}>

/** What an order earns, and why. `earned` and `rounding` add up to `points` exactly. `referrer` is the player credited for the referral. */
export type Prediction = Readonly<{
  points: Points
  earned: readonly Earned[]
  notApplied: readonly NotApplied[]
  rounding: Ratio
  level: LevelChange
  notes: readonly Note[]
  referrer?: Readonly<{ userId: UserId; points: Points; counts: boolean }>
  /** Why it earns nothing, if so. */
  nothing?: ZeroPointsReason
  /** The points that the order redeems; absent: none. */
  redeemed?: Points
  /** When the points become usable and when they expire; absent where the program defines neither. */
  terms?: Terms
  /** What statistics count the order by; absent where its program does not say (decision 168). */
  statisticsBy?: string
  program: Readonly<{ version: number; name: string }>
}>

/** Why an order earns nothing. `ceiling`: an `at-most` rule took everything away. `rounded-away`: less than one point was left. */
export const NOTHING_REASONS = [
  'not-placed',
  'not-participating',
  'nothing-paid',
  'no-price',
  'no-rule-applies',
  'ceiling',
  'rounded-away',
  'other',
] as const
export type ZeroPointsReason = (typeof NOTHING_REASONS)[number]

/** The same as reported by statistics: `unknown` covers entries recorded before reasons were. */
export const REPORTED_NOTHING_REASONS = [...NOTHING_REASONS, 'unknown'] as const
export type ReportedNothingReason = (typeof REPORTED_NOTHING_REASONS)[number]

/** The sums over a player's entries. `entries` is the sequence number of the last entry, `rev` counts writes of the account. */
export type Account = Readonly<{
  points: Points
  levelPoints: Points
  orders: bigint
  entries: bigint
  /** The first order ever recorded as placed: the only one whose referral counts. */
  firstOrderId?: OrderId
  rev: bigint
}>

/**
 * What an order was computed with when it was first recorded. Later revisions are computed with the same facts; a price or referral code
 * that a revision brings in is looked up then, and added.
 */
export type EvaluationInputs = Readonly<{
  program: number
  player: Player
  /** A price is undefined where the product was unknown. */
  prices: Catalogue
  codes: ReadonlyMap<string, CodeOwner>
  /** Of the products that had any; absent where none had. */
  attributes?: ReadonlyMap<Sku, AttributeSet>
  /** The attribute that statistics count the order by, empty if it had none; absent where the program names none (decision 168). */
  statisticsBy?: string
  /** Set if the program rounds expiries up to the end of a month or year, and an end on its first day, too (decision 220). */
  roundsFirstDays?: true
  /** Set if the player was erased: what identified the player is gone, so that the points can no longer be computed anew. */
  erased?: true
}>

/** Stands for the referral code of a player who was erased, in the orders of others (docs/privacy.md). */
export const ERASED_CODE = 'erased~'

/** The other player who owns a referral code. One who does not participate earns nothing; the referred player does. */
export type Referrer = Readonly<{ referrerId: UserId; participates?: false }>

/** The other player who owns a referral code, or why there is none. */
export type CodeOwner = Readonly<Referrer | { why: 'unknown' | 'shared' }>

/**
 * Digests of what a prediction is computed from: the order, its player's facts, and the catalogue's prices for its lines.
 * 16 hex characters each.
 */
export type Digests = Readonly<{ order: string; player: string; prices: string }>

/** An order as recorded, and what it earns its player and a referrer. `points` is the sum of its entries. */
export type RecordedOrder = Readonly<{
  order: Order
  facts: EvaluationInputs
  points: Points
  referrer?: Readonly<{ userId: UserId; points: Points }>
  rev: bigint
  /** The highest state version accepted so far; absent where none was sent. */
  stateVersion?: number
  /** When this revision arrived. */
  recordedAt: Instant
  /** For a changed order, the digests of its first recording; absent where a release that kept none made the change. */
  first?: Pick<Digests, 'order' | 'prices'>
}>

/**
 * The first day on which points can be spent, and the first on which they no longer can; `infinity` where that day never comes or is not yet known.
 * `slides`: orders and spending extend the expiry (decision 138).
 */
export type Terms = Readonly<{ usableOn: PlainDate; expiresOn: PlainDate; slides: boolean }>

/** An entry of the ledger, which is append-only: a correction is another entry. */
export type Entry = Readonly<{
  userId: UserId
  /** Counts from 1 within the player. */
  seq: bigint
  kind: 'order' | 'referral' | 'adjustment' | 'redemption' | 'reinstated'
  /** Signed. */
  points: Points
  /** Whether the points count for the level. */
  counts: boolean
  /** RFC 3339, UTC; the entries of an order carry the order's moment. */
  at: Instant
  /** The local days of `at` and of the recording (decision 80); absent in entries recorded before days were stamped. */
  day?: PlainDate
  bookedDay?: PlainDate
  /** Absent where the program defines none. */
  terms?: Terms
  order?: Readonly<{
    id: OrderId
    revision: bigint
    program: number
    change?: RevisionChange
    prediction?: Prediction
  }>
  /** `undone`: this entry reverses another adjustment. */
  adjustment?: Readonly<{ id: string; reason: string; undone?: true }>
  /** The redemption that it spends or gives back; for an order, only where it names a hold. */
  redemption?: Readonly<{ id: string; reason?: string }>
  /** The id of the token used to record it. */
  by?: string
}>

export const REDEMPTION_STATES = ['held', 'lapsed', 'confirmed', 'used', 'voided'] as const
export type RedemptionState = (typeof REDEMPTION_STATES)[number]

/**
 * Points held or spent under an id chosen by the client (decision 139). A hold lasts until `heldUntil`; once confirmed, it draws on the points of
 * `heldOn`. A hold past its time becomes permanently `lapsed` when other points are spent (decision 154). `orderId` is the order that the hold is
 * meant for, or that has `used` it; from then on the spending is booked to that order.
 */
export type Redemption = Readonly<{
  userId: UserId
  id: string
  state: RedemptionState
  points: Points
  reward?: string
  orderId?: OrderId
  program: number
  heldOn: PlainDate
  heldUntil?: Instant
  rev: bigint
  by: string
  reason: string
  createdAt: Instant
  /** What was voided in parts, oldest first; `points` is what is left. Absent where nothing was. */
  voidedParts?: readonly VoidedPart[]
}>

/** A part of a redemption that was voided; its reason identifies it, so that it can be repeated (decision 139). */
export type VoidedPart = Readonly<{ points: Points; reason: string }>

/** What a revision did to its order (decision 81); `moved`: its moment changed while its status stayed the same. */
export const REVISION_CHANGES = ['placed', 'changed', 'moved', 'cancelled', 'returned'] as const
export type RevisionChange = (typeof REVISION_CHANGES)[number]
