import { KEY_LENGTH_MAX } from '../../engine/ingest/fields.ts'

/** A page of a table in key order (by code point): at most `limit` keys after `after` that begin with `prefix`; empty strings match everything. */
export type KeyPage = Readonly<{ after: string; prefix: string; limit: number }>

/** The greatest possible key: no key is longer, and no character sorts higher. Appended to a prefix, it bounds all keys with that prefix. */
export const LAST_KEY = '\u{10FFFF}'.repeat(KEY_LENGTH_MAX)

/** The parameters of a page: the key it starts after, the lowest and highest key with the prefix, and the limit. A range, so nothing needs escaping. */
export function keyPageParams({ after, prefix, limit }: KeyPage): readonly [string, string, string, number] {
  return [after, prefix, `${prefix}${LAST_KEY}`, limit]
}
