/*
 * The nouns of the workshop: what goes into a prediction and what comes out. Plain readonly data.
 */
import type { Amount, Ratio, Rounding } from './arithmetic.ts'
import type { Rule } from './rules/index.ts'

/** One line of an order. `amount` is the line's total; where it is absent, the catalogue's price times `qty` stands in. */
export type Line = Readonly<{ sku?: string; amount?: Amount; qty: Amount }>

/** An order in our own names and units (specification 2.1). Contact data is not part of it. */
export type Order = Readonly<{
  id: string
  userId: string
  lines: readonly Line[]
  total: Amount
  discount: Amount
  qty?: Amount
  referralCode: string
  subscriptPoints: boolean
  status: OrderStatus
  /** RFC 3339, UTC. */
  at: string
}>

export type OrderStatus = 'placed' | 'cancelled' | 'returned'

/** What the engine knows of the person who orders, all without this order. For an unknown one texts are empty and numbers 0. */
export type Player = Readonly<{
  known: boolean
  /** The balance. */
  points: bigint
  /** The points that count for the level. */
  counted: bigint
  state: string
  district: string
  country: string
  gender: string
  /** YYYY-MM-DD */
  dateOfBirth?: string
  /** How many orders are recorded. */
  orders: bigint
}>

/** A player that was never sent (decision 24). */
export const NEWCOMER: Player = Object.freeze({
  known: false,
  points: 0n,
  counted: 0n,
  state: '',
  district: '',
  country: '',
  gender: '',
  orders: 0n,
})

/** Prices by product; a product that is not in it is unknown. */
export type Catalogue = ReadonlyMap<string, Amount>

export type Level = Readonly<{ name: string; from: bigint }>

/** A points program, read and checked. Levels ascend, the first from 0; rules apply in their order. */
export type Program = Readonly<{
  name: string
  rounding: Rounding
  levels: Readonly<{ counts: 'lifetime'; ladder: readonly Level[] }>
  earn: readonly Rule[]
  messages: Messages
}>

/** Sentences with `{points_text}` and `{level}` in them. */
export type Messages = Readonly<{ upgraded: string; stays: string; falls: string }>

/** A program under the number by which predictions and ledger name it. Holds from `from` (RFC 3339; `-infinity` is always). */
export type PublishedProgram = Readonly<{ version: number; from: string; program: Program }>

/** Why a rule gave what it gave: exact numbers by name. */
export type Because = Readonly<Record<string, Ratio>>

export type Earned = Readonly<{ rule: string; points: Ratio; because: Because }>

export type NotApplied = Readonly<{ rule: string; why: string }>

/** Something worth knowing about the order that changes no rule: `kind` for machines, `text` for people. */
export type Note = Readonly<{
  kind: 'unknown-product' | 'price-differs' | 'no-price'
  text: string
  line: number
  sku?: string
}>

export type LevelChange = Readonly<{
  before: string
  after: string
  upgraded: boolean
  /** The points that count, this order's included. */
  counted: bigint
  next?: Readonly<{ name: string; missing: bigint }>
}>

/** What an order earns, and why: `earned` and `rounding` add up to `points` exactly. */
export type Prediction = Readonly<{
  points: bigint
  earned: readonly Earned[]
  notApplied: readonly NotApplied[]
  rounding: Ratio
  level: LevelChange
  notes: readonly Note[]
  program: Readonly<{ version: number; name: string }>
}>
