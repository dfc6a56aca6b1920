import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { HANDLE_PREFIX } from './player-key.ts'

const TAG_BYTES = 12
/** Handles tell the length of an id only to so many bytes. */
const BLOCK_BYTES = 16
/** Characters of the handle of the longest id: 200 characters of four bytes, and the tag, in base64. */
export const HANDLE_LENGTH_MAX = HANDLE_PREFIX.length + Math.ceil(((200 * 4 + TAG_BYTES) * 4) / 3)
const COUNTER = Buffer.alloc(4)

/** Opaque texts in place of players' ids, for callers who may not see them (decision 218). */
export type Handles = Readonly<{
  /** The handle of a player's id: `player~` and letters, always the same ones. */
  of: (userId: string) => string
  /** The id that a text stands for: that of a handle, otherwise the text itself. */
  idIn: (text: string) => string
}>

/** A record with the id of a player in a field that may have a handle, which may be longer than any id. Anything else stays as it is. */
export function withIdIn<Sent>(sent: Sent, field: string, { idIn }: Pick<Handles, 'idIn'>): Sent {
  const text = (sent as Readonly<Record<string, unknown>> | null | undefined)?.[field]
  return typeof text === 'string' ? { ...sent, [field]: idIn(text) } : sent
}

/**
 * Handles that only holders of the secret can read or make: deterministic, authenticated encryption, where the tag of the id is the nonce. So they need
 * no column and no index.
 */
export function createHandles(secret: Uint8Array): Handles {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32))
  const [tagKey, cipherKey] = [keyFor('handle tag'), keyFor('handle cipher')]

  function tagOf(padded: Buffer): Buffer {
    return createHmac('sha256', tagKey).update(padded).digest().subarray(0, TAG_BYTES)
  }

  function open(sealed: Buffer): string | undefined {
    const tag = sealed.subarray(0, TAG_BYTES)
    if (sealed.length <= TAG_BYTES) return undefined
    const decipher = createDecipheriv('aes-256-ctr', cipherKey, Buffer.concat([tag, COUNTER]))
    const padded = decipher.update(sealed.subarray(TAG_BYTES))
    return timingSafeEqual(tag, tagOf(padded)) ? padded.toString().replace(/\0+$/, '') : undefined
  }

  return {
    of: (userId) => {
      const bytes = Buffer.from(userId)
      // No id has a NUL.
      const padded = Buffer.alloc(Math.max(1, Math.ceil(bytes.length / BLOCK_BYTES)) * BLOCK_BYTES)
      bytes.copy(padded)
      const tag = tagOf(padded)
      const cipher = createCipheriv('aes-256-ctr', cipherKey, Buffer.concat([tag, COUNTER]))
      return HANDLE_PREFIX + Buffer.concat([tag, cipher.update(padded)]).toString('base64url')
    },
    idIn: (text) =>
      text.startsWith(HANDLE_PREFIX)
        ? (open(Buffer.from(text.slice(HANDLE_PREFIX.length), 'base64url')) ?? text)
        : text,
  }
}
