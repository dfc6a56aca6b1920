/*
 * Whether a player participates, as the last character of a fingerprint. The hash before it covers the other values only: most records do not say
 * whether their player participates, and compare equal whether or not the player does.
 */

const HASH_LENGTH = 32

/** The character for a record that says it; an empty text for one that does not. */
export function markOf(participates: boolean | undefined): '' | '+' | '-' {
  return participates === undefined ? '' : participates ? '+' : '-'
}

/** The hash in a fingerprint, in hex. */
export function hashIn(fingerprint: string): string {
  return fingerprint.slice(0, HASH_LENGTH)
}

/** The mark of a fingerprint; an empty text if it has none. */
export function markIn(fingerprint: string): string {
  return fingerprint.slice(HASH_LENGTH)
}

/** Whether the player participates according to a fingerprint; null if it does not say. */
export function participationIn(fingerprint: string): boolean | null {
  const mark = markIn(fingerprint)
  return mark === '' ? null : mark === '+'
}

/** A fingerprint with the mark of the one before, if it has none; a new player participates. */
export function withMarkOf(before: string | undefined, fingerprint: string): string {
  return markIn(fingerprint) === '' ? fingerprint + (before === undefined ? '+' : markIn(before)) : fingerprint
}
