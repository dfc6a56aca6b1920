/*
 * Rounding to whole numbers. What an order earns is rounded once, on the sum of its rules; every other division says how it rounds.
 */
import type { Ratio } from './arithmetic.ts'

export const ROUNDINGS = ['floor', 'half-up', 'ceil'] as const
export type Rounding = (typeof ROUNDINGS)[number]

/** Rounds a ratio to a whole number: `floor` towards minus infinity, `ceil` towards infinity, `half-up` to the nearest, .5 up. */
export function roundTo(a: Ratio, rounding: Rounding): bigint {
  switch (rounding) {
    case 'floor':
      return floorDivide(a.num, a.den)
    case 'ceil':
      return -floorDivide(-a.num, a.den)
    case 'half-up':
      return floorDivide(2n * a.num + a.den, 2n * a.den)
    default:
      return rounding satisfies never
  }
}

/** The largest integer not above `num / den`; `den` above 0. (BigInt division by itself truncates towards zero.) */
export function floorDivide(num: bigint, den: bigint): bigint {
  const quotient = num / den
  return num < 0n && num % den !== 0n ? quotient - 1n : quotient
}
