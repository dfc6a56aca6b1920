/*
 * What a points program consists of. Plain readonly data.
 */
import type { Rounding } from './arithmetic.ts'
import type { Period, RoundingUp } from './calendar.ts'
import type { Condition } from './condition.ts'
import type { Rule } from './rules/index.ts'
import type { Amount, Moment, Points } from './units.ts'

export type Level = Readonly<{ name: string; from: Points }>

/** A points program, read and checked. Levels ascend, the first from 0; rules apply in their order. */
export type Program = Readonly<{
  name: string
  /** An IANA time zone, in which days, hours and ages are meant; UTC where a program names none (decision 80). */
  timeZone: string
  /** How many digits an amount of an order may have after the point, 0 to 4 (decision 69). */
  money: Readonly<{ decimals: number }>
  rounding: Rounding
  levels: Readonly<{ counts: LevelCounts; ladder: readonly Level[] }>
  earn: readonly Rule[]
  referral?: Referral
  points?: PointRules
  redeem?: RedeemRules
  messages: Messages
}>

/** The points that count for the level: all ever earned, or those of the last calendar months (UTC). */
export type LevelCounts = 'lifetime' | Readonly<{ windowMonths: number }>

/** What a referred player's first order gives, in whole points; `counts`: whether the referrer's count for their level. */
export type Referral = Readonly<{ friend: Points; referrer: Points; counts: boolean }>

/** When points become usable, and when they end. What is absent does not bound: points are usable at once, and never end (decision 138). */
export type PointRules = Readonly<{
  pending?: Readonly<{ days: number; after: 'ordered' | 'fulfilled' }>
  expire?: Expiry
  /** The end that points get when the version begins, where they had none. */
  earlierPoints?: Expiry
}>

/** `slides`: every order and every spending begins it anew. */
export type Expiry = Readonly<{ after: Period; atEndOf: RoundingUp; slides: boolean }>

/**
 * How points may be spent (decisions 139 and 140). `value`: so many points pay so much of an order; absent: none of it. An order may redeem whole
 * `step`s, at least `least`, at most `share` of its net (1/10,000) and `mostPoints`, where `when` holds. `holdMs`: how long a hold lasts.
 */
export type RedeemRules = Readonly<{
  value?: Readonly<{ points: Points; pays: Amount }>
  step: Points
  least: Points
  share?: Amount
  mostPoints?: Points
  when?: Condition
  /** Whether what points paid earns points, too. */
  partPaidEarns: boolean
  /** Whether the shop has put what points pay into the discount already. */
  inDiscount: boolean
  /** How far below 0 a redemption may lead. */
  overdraft: Points
  /** How long points are good that are given back after they have ended. */
  givenBack?: Period
  holdMs: number
  rewards: readonly Readonly<{ name: string; points: Points }>[]
}>

/** Sentences with placeholders: `{points_text}`, `{level}`, `{usable_on}`, `{valid_until}`, `{redeemed_text}`. */
export type Messages = Readonly<{ upgraded: string; stays: string; falls: string }>

/** A version of the program. It holds from `from` (RFC 3339, or `-infinity`); once `withdrawn` it holds at no moment. */
export type PublishedProgram = Readonly<{ version: number; from: Moment; program: Program; withdrawn?: true }>
