/*
 * Types for values that share a representation but not a meaning. They exist only for the type checker.
 */
declare const meaning: unique symbol

/**
 * A value with one meaning. Values of another meaning are rejected; plain ones are accepted, so that sums and literals need no cast. Arithmetic
 * yields plain values: a function states the meaning of its result in its return type.
 */
type Named<T, Meaning extends string> = T & { readonly [meaning]?: Meaning }

/** An amount of money, a price or a quantity: an integer of 1/10,000, so that 4.50 is 45000n (decision 20). */
export type Amount = Named<bigint, 'amount'>

/** A price times a quantity, or a line's own amount to be compared with one: an integer of 1/100,000,000. */
export type LineAmount = Named<bigint, 'line amount'>

/** Attributes: the JSON of an object with its names in order, so that equal attributes are equal texts. */
export type AttributeSet = Named<string, 'attributes'>

/** Whole points. */
export type Points = Named<bigint, 'points'>

/** RFC 3339, UTC, to the millisecond, with a four-digit year, so that moments sort as text. */
export type Instant = Named<string, 'instant'>

/** YYYY-MM-DD, so that days sort as text. */
export type PlainDate = Named<string, 'plain date'>

export type UserId = Named<string, 'user id'>
export type OrderId = Named<string, 'order id'>
export type Sku = Named<string, 'sku'>
