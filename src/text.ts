/** A character of the basic plane as JSON escapes it: `\u001b`. */
export function escapedCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Escapes control characters, which a terminal would take for commands, and those that reorder what follows, such as U+202E: a stored text could
 * pass itself off as another.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, escapedCharacter)
}

/** The same for multi-line text: line breaks and tabs stay. */
export function escapeControlsInLines(text: string): string {
  return text.replace(/[^\t\n]+/g, escapeControls)
}

/** `1 order`, `2 orders`. */
export function count(number: number | bigint | string, noun: string): string {
  return String(number) === '1' ? `1 ${noun}` : `${number} ${noun}s`
}

/** A name without case, blanks and punctuation: `Per_Amount` is `peramount`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** The name that is spelled most like `wanted`: at most a third of its letters have to be changed. Of equally near ones the first. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const spelled = plainName(wanted)
  if (spelled.length > NAME_LENGTH_MAX) return undefined
  let nearest: string | undefined
  let distanceMax = Math.floor(spelled.length / 3)
  for (const name of names) {
    const distance = editDistance(spelled, plainName(name), distanceMax)
    if (distance === undefined) continue
    nearest = name
    distanceMax = distance - 1
  }
  return nearest
}

/** Longer names are far from any other. */
const NAME_LENGTH_MAX = 100

/** How many letters have to be changed, added, left out or swapped with the next; undefined if more than `distanceMax`. */
function editDistance(one: string, other: string, distanceMax: number): number | undefined {
  if (Math.abs(one.length - other.length) > distanceMax) return undefined
  let before: readonly number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at += 1) {
    // Elsewhere in the row the distance is over the maximum.
    const first = Math.max(1, at + 1 - distanceMax)
    const last = Math.min(other.length, at + 1 + distanceMax)
    const next = Array<number>(other.length + 1).fill(Number.POSITIVE_INFINITY)
    next[0] = at + 1
    let least = next[0]
    for (let index = first; index <= last; index += 1) {
      const changed = row[index - 1]! + (other[index - 1] === one[at] ? 0 : 1)
      const isSwapped = at > 0 && index > 1 && one[at] === other[index - 2] && one[at - 1] === other[index - 1]
      const swapped = isSwapped ? before[index - 2]! + 1 : Number.POSITIVE_INFINITY
      next[index] = Math.min(changed, swapped, row[index]! + 1, next[index - 1]! + 1)
      least = Math.min(least, next[index]!)
    }
    if (least > distanceMax) return undefined
    before = row
    row = next
  }
  const distance = row[other.length]!
  return distance > distanceMax ? undefined : distance
}
