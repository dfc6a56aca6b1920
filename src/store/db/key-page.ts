import { KEY_LENGTH_MAX } from '../../ingest/fields.ts'

/** A part of a table in the order of its keys, which is that of their code points: at most `limit` keys after one, all with a prefix; empty for none. */
export type KeyPage = Readonly<{ after: string; prefix: string; limit: number }>

/** No key is longer, and no character comes later, so that no key with a prefix comes after the prefix and this. */
export const LAST_KEY = '\u{10FFFF}'.repeat(KEY_LENGTH_MAX)

/** The parameters of a page: what it comes after, the first and the last key with the prefix, and how many. No pattern, so no character is special. */
export function keyPageParams({ after, prefix, limit }: KeyPage): readonly [string, string, string, number] {
  return [after, prefix, `${prefix}${LAST_KEY}`, limit]
}
