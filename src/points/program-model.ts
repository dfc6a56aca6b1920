/*
 * What a points program consists of. Plain readonly data.
 */
import type { Rounding } from './arithmetic.ts'
import type { Period, RoundingUp } from './calendar.ts'
import type { Rule } from './rules/index.ts'
import type { Moment, Points } from './units.ts'

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

/** Sentences with the placeholders `{points_text}` and `{level}`. */
export type Messages = Readonly<{ upgraded: string; stays: string; falls: string }>

/** A version of the program. It holds from `from` (RFC 3339, or `-infinity`); once `withdrawn` it holds at no moment. */
export type PublishedProgram = Readonly<{ version: number; from: Moment; program: Program; withdrawn?: true }>
