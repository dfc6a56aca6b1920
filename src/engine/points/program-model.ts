/*
 * What a points program consists of. Plain readonly data.
 */

import type { AttributeTypes } from './attributes.ts'
import type { Period, RoundingUp } from './calendar.ts'
import type { Condition } from './condition.ts'
import type { Rounding } from './rounding.ts'
import type { Rule } from './rules/index.ts'
import type { Amount, Instant, Points } from './units.ts'

export type Level = Readonly<{ name: string; from: Points }>

/** A points program, read and checked. Levels ascend, and the first starts at 0; rules apply in the order given. */
export type Program = Readonly<{
  name: string
  /** The IANA time zone of all days, hours and ages; UTC where a program names none (decision 80). */
  timeZone: string
  /**
   * How many decimals an amount of an order may have, 0 to 4 (decision 69); its currency, if the program names one, and what others are worth in it, in
   * 1/100,000,000.
   */
  money: Readonly<{ decimals: number; currency?: string; rates?: ReadonlyMap<string, bigint> }>
  /** Absent where the program declares none: its conditions then see none. */
  attributes?: AttributeTypes
  /** `by`: the attribute of orders by which statistics count them, declared as a text (decision 168). */
  statistics?: Readonly<{ by: string }>
  rounding: Rounding
  levels: Readonly<{ counts: LevelCounts; ladder: readonly Level[] }>
  earn: readonly Rule[]
  referral?: Referral
  points?: PointRules
  redeem?: RedeemRules
  messages: Messages
}>

/** The points that count for the level: all ever earned, or those of the last `windowMonths` calendar months (UTC). */
export type LevelCounts = 'lifetime' | Readonly<{ windowMonths: number }>

/** What a referred player's first order gives, in whole points. `counts`: whether the referrer's points count for their level. */
export type Referral = Readonly<{ friend: Points; referrer: Points; counts: boolean }>

/** When points become usable, and when they expire. By default points are usable at once, and never expire (decision 138). */
export type PointRules = Readonly<{
  pending?: Readonly<{ days: number; after: 'ordered' | 'fulfilled' }>
  expire?: Expiry
  /** The expiry assigned, when the version takes effect, to points that have none. */
  earlierPoints?: Expiry
}>

/** `slides`: every order and every redemption restarts the period. */
export type Expiry = Readonly<{
  after: Period
  atEndOf: RoundingUp
  slides: boolean
  /** The rule before decision 220, for what was recorded under it. */
  keepsFirstDays?: boolean
}>

/**
 * How points may be spent (decision 139). `value`: how many points pay how much of an order; absent: they pay nothing. An order may redeem
 * multiples of `step`, at least `least` and at most `mostPoints`, worth at most `share` (1/10,000) of its net, if `when` holds. `holdMs` is the
 * lifetime of a hold.
 */
export type RedeemRules = Readonly<{
  value?: Readonly<{ points: Points; pays: Amount }>
  step: Points
  least: Points
  share?: Amount
  mostPoints?: Points
  when?: Condition
  /** Whether the part paid with points earns points too. */
  partPaidEarns: boolean
  /** Whether the shop's discount already includes what points pay. */
  inDiscount: boolean
  /** How far below 0 a redemption may take the balance. */
  overdraft: Points
  /** How long points that are given back after they expired remain valid. */
  givenBack?: Period
  holdMs: number
  rewards: readonly Readonly<{ name: string; points: Points }>[]
}>

/** Sentences with placeholders: those of PLACEHOLDERS in message.ts. */
export type Messages = Readonly<{ upgraded: string; stays: string; falls: string }>

/** A version of the program, in effect from `from` (RFC 3339, or `-infinity`). Once `withdrawn` it is never in effect. */
export type PublishedProgram = Readonly<{ version: number; from: Instant; program: Program; withdrawn?: true }>
