/*
 * The format of a token: `laurel_<id>_<secret><checksum>`. The prefix lets scanners find leaked tokens,
 * and the checksum lets commands detect one that was copied incorrectly (decision 60).
 */
import { hash } from 'node:crypto'

export const TOKEN_ID_BYTES = 6
export const TOKEN_SECRET_BYTES = 32

const FORM = /^(laurel_([0-9a-f]{12})_[A-Za-z0-9_-]{43})([0-9a-f]{8})$/
const TEXT_LENGTH = 'laurel_'.length + 12 + 1 + 43 + 8

/** The text of a token, made from random bytes: 6 for its public id, 32 for its secret. */
export function tokenText(id: Buffer, secret: Buffer): string {
  const body = `laurel_${id.toString('hex')}_${secret.toString('base64url')}`
  return body + checksum(body)
}

/** The public id in a token's text; undefined if the text does not have the format of a token. */
export function tokenIdOf(text: string): string | undefined {
  // The length first, so that long texts that are no tokens cost nothing.
  return text.length === TEXT_LENGTH ? FORM.exec(text)?.[2] : undefined
}

/** Whether a text is a complete token with a valid checksum. */
export function isWholeToken(text: string): boolean {
  const match = FORM.exec(text)
  return match !== null && checksum(match[1]!) === match[3]
}

/** The SHA-256 of a token's text, which is all that is stored of its secret. */
export function tokenDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

function checksum(body: string): string {
  return hash('sha256', body).slice(0, 8)
}
