/*
 * The exact numbers of conditions. They are a class only because the CEL library identifies types by their constructors.
 */
import { AMOUNT_SCALE, compareValues, type Ratio, ratioText } from './arithmetic.ts'
import type { Amount, LineAmount } from './units.ts'

const PRICED_SCALE = AMOUNT_SCALE * AMOUNT_SCALE
/** The largest exponent in a text, either way: `1e999999999` is short, but its digits would fill the memory. */
const EXPONENT_MAX = 30

/** An exact number. Like other ratios it need not be in lowest terms. */
export class Decimal implements Ratio {
  readonly num: bigint
  readonly den: bigint
  /** The double nearest to the number; NaN where it is not known. If those of two numbers differ, so do the numbers, in the same way. */
  readonly near: number
  constructor(num: bigint, den: bigint, near = Number.NaN) {
    this.num = num
    this.den = den
    this.near = near
  }
  /** As `string` in a condition writes it: `12.5`, or `10/3`. */
  toString(): string {
    return ratioText(this)
  }
}

/** An amount, a price or a quantity, in main units. */
export function decimalOfAmount(amount: Amount): Decimal {
  return new Decimal(amount, AMOUNT_SCALE, nearest(amount, Number(AMOUNT_SCALE)))
}

/** A price times a quantity, in main units. */
export function decimalOfPriced(amount: LineAmount): Decimal {
  return new Decimal(amount, PRICED_SCALE, nearest(amount, Number(PRICED_SCALE)))
}

/** A whole number. */
export function decimalOfWhole(whole: bigint): Decimal {
  return new Decimal(whole, 1n)
}

/** Reads a text like `-12.5`, `.5` or `1e6`, with an exponent of at most 30, or `exponentMax`, either way. Undefined for anything else. */
export function parseDecimal(text: string, exponentMax = EXPONENT_MAX): Decimal | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', decimals = '', exponent = '0'] = match
  if (whole + decimals === '' || Math.abs(Number(exponent)) > exponentMax) return undefined
  const scale = decimals.length - Number(exponent)
  const digits = BigInt(whole + decimals) * (sign === '-' ? -1n : 1n)
  if (scale <= 0) return decimalOfWhole(digits * 10n ** BigInt(-scale))
  return new Decimal(digits, 10n ** BigInt(scale), nearest(digits, 10 ** scale))
}

/** Below 0 if `a` is less than `b`, 0 if they are equal, above 0 if `a` is greater. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  // Doubles decide nearly every comparison, in a fraction of the time that bigints take.
  if (a.near < b.near) return -1
  if (a.near > b.near) return 1
  return compareValues(a.num * b.den, b.num * a.den)
}

/** The same with a whole number. */
export function compareWithWhole(a: Decimal, whole: bigint): number {
  const near = Number(whole)
  if (a.near < near) return -1
  if (a.near > near) return 1
  return compareValues(a.num, whole * a.den)
}

/** `a` plus `b`. Results are not reduced: a condition has few operations, and a greatest common divisor takes longer than all of them. */
export function plus(a: Decimal, b: Decimal): Decimal {
  if (a.den === b.den) return new Decimal(a.num + b.num, a.den)
  return new Decimal(a.num * b.den + b.num * a.den, a.den * b.den)
}

/** `a` minus `b`. */
export function minus(a: Decimal, b: Decimal): Decimal {
  return plus(a, negative(b))
}

/** 0 minus `a`. */
export function negative({ num, den, near }: Decimal): Decimal {
  return new Decimal(-num, den, -near)
}

/** `a` times `b`. */
export function times(a: Decimal, b: Decimal): Decimal {
  return new Decimal(a.num * b.num, a.den * b.den)
}

/** `a` divided by `b`. Errors: division by zero. */
export function over(a: Decimal, b: Decimal): Decimal {
  if (b.num === 0n) throw new Error('division by zero')
  if (b.num < 0n) return over(negative(a), negative(b))
  return new Decimal(a.num * b.den, a.den * b.num)
}

/** The whole part, without what is after the point: that of -1.5 is -1. */
export function wholePart({ num, den }: Decimal): bigint {
  return num / den
}

/** The quotient as a double. It is the nearest one if both are exact doubles; where that is not certain, NaN. */
function nearest(num: bigint, den: number): number {
  const double = Number(num)
  return Math.abs(double) <= Number.MAX_SAFE_INTEGER && den <= Number.MAX_SAFE_INTEGER ? double / den : Number.NaN
}
