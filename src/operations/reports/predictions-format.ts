/*
 * How the figures of a predictions report are written for people.
 */
import type { DeviationReason } from '../../points/deviation.ts'

/** What each reason is called. */
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

/** Reasons as people call them: `another program and other price`. */
export function reasonNames(reasons: readonly DeviationReason[]): string {
  return reasons.map((reason) => REASON_NAMES[reason]).join(' and ')
}

/** `99.9 %`: rounded down, so that only all are 100; empty where there is nothing to be a share of. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '' : `${(Math.floor((part * 1_000) / whole) / 10).toFixed(1)} %`
}
