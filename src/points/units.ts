/*
 * Names for values that a computer cannot tell apart: two integers, two texts. They exist for the type checker alone.
 */
declare const meaning: unique symbol

/**
 * A value of one meaning. One of another meaning is refused; a plain one is accepted, so that sums and literals need no cast. Results of
 * arithmetic are plain: a function that computes says with its return type what it made.
 */
type Named<T, Meaning extends string> = T & { readonly [meaning]?: Meaning }

/** An amount of money, a price or a quantity: an integer of 1/10,000, so that 4.50 is 45000n (decision 20). */
export type Amount = Named<bigint, 'amount'>

/** A price times a quantity, or a line's own amount to be compared with one: an integer of 1/100,000,000. */
export type LineAmount = Named<bigint, 'line amount'>

/** Whole points. */
export type Points = Named<bigint, 'points'>

/** RFC 3339, UTC, to the millisecond, with four digits of year: as texts, moments sort as moments. */
export type Moment = Named<string, 'moment'>

/** YYYY-MM-DD: as texts, days sort as days. */
export type Day = Named<string, 'day'>

export type UserId = Named<string, 'user id'>
export type OrderId = Named<string, 'order id'>
export type Sku = Named<string, 'sku'>
