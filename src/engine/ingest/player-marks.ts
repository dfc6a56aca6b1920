/*
 * What most records of players do not say, as marks at the end of a fingerprint: whether the player participates, + or -, then the attributes. The hash
 * before them covers the other values only, so that a record without marks compares equal whatever is stored.
 */
import { NO_ATTRIBUTES } from '../points/attributes.ts'
import type { AttributeSet } from '../points/units.ts'

const HASH_LENGTH = 32

/** The marks of a record; an empty text if it says none of this. */
export function marksOf(participates: boolean | undefined, attributes: AttributeSet | undefined): string {
  return `${participates === undefined ? '' : participates ? '+' : '-'}${attributes ?? ''}`
}

/** Whether a record says any of this. */
export function hasMarks(fingerprint: string): boolean {
  return fingerprint.length > HASH_LENGTH
}

/** The hash in the fingerprint of a record, in hex. */
export function hashIn(fingerprint: string): string {
  return fingerprint.slice(0, HASH_LENGTH)
}

/** The marks of a fingerprint; the hash of a stored one may be missing, as after an import of everything. */
export function marksIn(fingerprint: string): string {
  return fingerprint.slice(/^[0-9a-f]*/.exec(fingerprint)![0].length)
}

/** Whether the player participates according to the fingerprint of a record; null if it does not say. */
export function participationIn(fingerprint: string): boolean | null {
  const mark = fingerprint[HASH_LENGTH]
  return mark === '+' ? true : mark === '-' ? false : null
}

/** The attributes in the fingerprint of a record; null if it does not say any. */
export function playerAttributesIn(fingerprint: string): AttributeSet | null {
  const start = fingerprint.indexOf('{', HASH_LENGTH)
  return start < 0 ? null : fingerprint.slice(start)
}

/** The fingerprint of a record with what it does not say, from the one before; a new player participates, and has no attributes. */
export function withMarksOf(before: string | undefined, fingerprint: string): string {
  const known = before === undefined ? '+' : marksIn(before)
  const mark = { true: '+', false: '-', null: known.startsWith('-') ? '-' : '+' }[`${participationIn(fingerprint)}`]
  const attributes = playerAttributesIn(fingerprint) ?? (known.slice(1) || NO_ATTRIBUTES)
  return `${hashIn(fingerprint)}${mark}${attributes}`
}
