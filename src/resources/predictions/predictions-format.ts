/*
 * Formats the figures of a predictions report for people.
 */
import type { DeviationReason } from '../../engine/points/deviation.ts'

/** A readable name for each reason. */
export const REASON_NAMES: Readonly<Record<DeviationReason, string>> = {
  program: 'another program',
  player: 'other player facts',
  price: 'other price',
  referral: 'referral',
  order: 'changed order',
  moment: 'another moment',
  'not-known': 'not known',
  unexplained: 'unexplained',
}

/** The readable names of several reasons: `another program and other price`. */
export function reasonNames(reasons: readonly DeviationReason[]): string {
  return reasons.map((reason) => REASON_NAMES[reason]).join(' and ')
}

/** `99.9 %`: rounded down, so that only the whole is 100 %; empty if the whole is 0. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '' : `${(Math.floor((part * 1_000) / whole) / 10).toFixed(1)} %`
}
