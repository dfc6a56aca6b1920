/*
 * Exact numbers: amounts are integers of 1/10,000, points are ratios of two integers. Every result is exact; doubles are used only for integers below
 * 2^53, which they represent exactly.
 */

import type { Amount, LineAmount } from './units.ts'

export const AMOUNT_SCALE = 10_000n
export const AMOUNT_DIGITS = 4
/** Digits before the point for the fast path: with the four decimals they make an integer below 2^53. */
const QUICK_DIGITS_MAX = 11
const ZERO_CODE = '0'.charCodeAt(0)

/** The largest whole number on the wire, 2^53-1 (decision 20). */
export const WHOLE_MAX = 9_007_199_254_740_991n

/** An exact number, `num` over `den`, with `den` above 0. Intermediate results need not be in lowest terms; `ratio` reduces them. */
export type Ratio = Readonly<{ num: bigint; den: bigint }>

export const ZERO: Ratio = Object.freeze({ num: 0n, den: 1n })

/** `num` over `den` in lowest terms, so that equal numbers are equal data. `den` must not be 0. */
export function ratio(num: bigint, den = 1n): Ratio {
  const divisor = greatestCommonDivisor(num, den)
  const sign = den < 0n ? -1n : 1n
  return { num: (sign * num) / divisor, den: (sign * den) / divisor }
}

/**
 * Adds over the least common denominator, as products of denominators would grow with every rule of a program. Like the functions
 * below, it does not reduce its result: reducing costs more than the addition itself.
 */
export function add(a: Ratio, b: Ratio): Ratio {
  if (a.den === b.den) return { num: a.num + b.num, den: a.den }
  // One denominator nearly always divides the other, and a remainder is cheaper than a greatest common divisor.
  if (a.den % b.den === 0n) return { num: a.num + b.num * (a.den / b.den), den: a.den }
  if (b.den % a.den === 0n) return { num: a.num * (b.den / a.den) + b.num, den: b.den }
  const divisor = greatestCommonDivisor(a.den, b.den)
  const [left, right] = [b.den / divisor, a.den / divisor]
  return { num: a.num * left + b.num * right, den: a.den * left }
}

/** `a` minus `b`, exact; not reduced. */
export function subtract(a: Ratio, b: Ratio): Ratio {
  return add(a, { num: -b.num, den: b.den })
}

/** The exact sum; 0 for an empty list. */
export function sum(all: readonly Ratio[]): Ratio {
  return all.reduce(add, ZERO)
}

/** The exact product; not reduced. */
export function product(a: Ratio, b: Ratio): Ratio {
  return { num: a.num * b.num, den: a.den * b.den }
}

/** Whether `a` is less than `b`. */
export function isLess(a: Ratio, b: Ratio): boolean {
  return a.num * b.den < b.num * a.den
}

/** The sum of amounts, in 1/10,000. */
export function sumAmounts(amounts: readonly Amount[]): Amount {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** Whether a ratio is 0. */
export function isZero(a: Ratio): boolean {
  return a.num === 0n
}

/**
 * A ratio as text: a decimal where it terminates (`123.4`), else the reduced fraction (`10/3`).
 * Source: docs/programs.md.
 */
export function ratioText(a: Ratio): string {
  if (a.num % a.den === 0n) return (a.num / a.den).toString()
  const { num, den } = ratio(a.num, a.den)
  let rest = den
  let twos = 0
  let fives = 0
  while (rest % 2n === 0n) {
    rest /= 2n
    twos += 1
  }
  while (rest % 5n === 0n) {
    rest /= 5n
    fives += 1
  }
  if (rest !== 1n) return `${num}/${den}`
  const digits = Math.max(twos, fives)
  return scaledText((num * 10n ** BigInt(digits)) / den, digits)
}

/** Parses what `ratioText` writes, also if not in lowest terms, with up to 30 digits on each side. Undefined for anything else. */
export function parseRatio(text: string): Ratio | undefined {
  const match = /^(-?)(\d{1,30})(?:\.(\d{1,30})|\/(\d{1,30}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole, decimals = '', under = '1'] = match
  const den = BigInt(under) * 10n ** BigInt(decimals.length)
  return den === 0n ? undefined : ratio(BigInt(`${sign}${whole}${decimals}`), den)
}

/** An amount as text without trailing zeros: 45000n is `4.5`. The text of an amount is unique. */
export function amountText(amount: Amount): string {
  return scaledText(amount, AMOUNT_DIGITS)
}

/** The same for a price times a quantity, which is an integer of 1/100,000,000. */
export function pricedText(amount: LineAmount): string {
  return scaledText(amount, 2 * AMOUNT_DIGITS)
}

/**
 * Parses digits with up to four decimals as an amount: `4.50` is 45000n. No sign, blank or exponent; up to `wholeDigitsMax`
 * digits before the point. Undefined for anything else.
 */
export function parseAmount(text: string, wholeDigitsMax = 15): Amount | undefined {
  let digits = 0
  let point = text.length
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - ZERO_CODE
    if (digit >= 0 && digit <= 9) digits = digits * 10 + digit
    else if (text[at] === '.' && point === text.length) point = at
    else return undefined
  }
  const decimals = Math.max(0, text.length - point - 1)
  if (point === 0 || point === text.length - 1 || point > wholeDigitsMax || decimals > AMOUNT_DIGITS) return undefined
  // Converting a number to a BigInt takes a third of the time that parsing a text does (bench/NOTES.md).
  if (point <= QUICK_DIGITS_MAX) return BigInt(digits * 10 ** (AMOUNT_DIGITS - decimals))
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(AMOUNT_DIGITS, '0'))
}

/** An amount as a ratio in main units: 45000n is 9/2. */
export function amountRatio(amount: Amount): Ratio {
  return { num: amount, den: AMOUNT_SCALE }
}

function scaledText(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : ''
  const all = (value < 0n ? -value : value).toString().padStart(digits + 1, '0')
  const whole = all.slice(0, all.length - digits)
  const decimals = all.slice(all.length - digits).replace(/0+$/, '')
  return decimals === '' ? sign + whole : `${sign}${whole}.${decimals}`
}

/** The greatest whole number that divides both exactly, whatever their signs; that of 0 and another number is the other. */
export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let x = a < 0n ? -a : a
  let y = b < 0n ? -b : b
  // Doubles represent numbers of this size exactly, and their remainders are many times as fast.
  if (x <= WHOLE_MAX && y <= WHOLE_MAX) return BigInt(commonDivisor(Number(x), Number(y)))
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

function commonDivisor(a: number, b: number): number {
  let x = a
  let y = b
  while (y !== 0) {
    const rest = x % y
    x = y
    y = rest
  }
  return x
}

/** Ascending order for `sort`: of numbers by size, of texts by code unit. */
export function compareValues<T extends bigint | number | string>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0
}
