import type { Prediction } from './model.ts'
import type { Messages } from './program-model.ts'

/** The built-in sentences (decision 29). */
export const ENGLISH: Messages = {
  upgraded: 'You will earn {points_text} and be upgraded to {level}.',
  stays: 'You will earn {points_text} and stay at {level}.',
  falls: 'You will earn {points_text} and be at {level}.',
}

/** The sentence for people: the points, without separators, and the level after the order (decision 29). */
export function messageFor(prediction: Prediction, messages: Messages): string {
  const { before, after, upgraded, lowered } = prediction.level
  const sentence = lowered
    ? messages.falls
    : upgraded
      ? messages.upgraded
      : before === after
        ? messages.stays
        : messages.falls
  const values: Record<string, string> = { points_text: pointsText(prediction.points), level: after }
  return sentence.replace(/\{(points_text|level)\}/g, (_, name: string) => values[name]!)
}

function pointsText(points: bigint): string {
  return points === 1n ? '1 point' : `${points} points`
}
