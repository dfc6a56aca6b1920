import { dayAfter } from './calendar.ts'
import type { Prediction } from './model.ts'
import { NEVER } from './pending-and-expiry.ts'
import type { Messages } from './program-model.ts'
import type { Points } from './units.ts'

/** The built-in sentences (decision 29). */
export const ENGLISH: Messages = {
  upgraded: 'You will earn {points_text} and be upgraded to {level}.',
  stays: 'You will earn {points_text} and stay at {level}.',
  falls: 'You will earn {points_text} and be at {level}.',
}

/** The built-in sentences for orders that redeem points. */
const ENGLISH_REDEEMING: Messages = {
  upgraded: 'You will redeem {redeemed_text}, earn {points_text} and be upgraded to {level}.',
  stays: 'You will redeem {redeemed_text}, earn {points_text} and stay at {level}.',
  falls: 'You will redeem {redeemed_text}, earn {points_text} and be at {level}.',
}

/** The placeholders that a message may contain; `program.ts` checks that the program has the sections they need. */
export const PLACEHOLDERS = [
  'points',
  'points_text',
  'level',
  'usable_on',
  'valid_until',
  'redeemed',
  'redeemed_text',
] as const

/**
 * The message for people: the points, without thousands separators, and the level after the order (decision 29); for an order that redeems points,
 * also how many. `valid_until` is the last day on which the points can be spent.
 */
export function messageFor(prediction: Prediction, messages: Messages): string {
  const { before, after, upgraded, lowered } = prediction.level
  const { redeemed = 0n, terms } = prediction
  const which = lowered ? 'falls' : upgraded ? 'upgraded' : before === after ? 'stays' : 'falls'
  const isBuiltIn = redeemed > 0n && messages[which] === ENGLISH[which]
  const sentence = isBuiltIn ? ENGLISH_REDEEMING[which] : messages[which]
  const values: Record<(typeof PLACEHOLDERS)[number], string> = {
    points: String(prediction.points),
    points_text: pointsWord(prediction.points),
    level: after,
    usable_on: terms?.usableOn ?? '',
    valid_until: terms === undefined || terms.expiresOn === NEVER ? '' : dayAfter(terms.expiresOn, -1),
    redeemed: String(redeemed),
    redeemed_text: pointsWord(redeemed),
  }
  return sentence.replace(PLACEHOLDER, (_, name: (typeof PLACEHOLDERS)[number]) => values[name])
}

const PLACEHOLDER = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g')

/** `1 point`, `2 points`. */
export function pointsWord(points: Points): string {
  return points === 1n ? '1 point' : `${points} points`
}
