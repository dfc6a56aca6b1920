/** The sort key of a row in a list that is newest first: its moment (RFC 3339), then its id. */
export type InstantKey = Readonly<{ at: string; id: string }>

/** A page of at most `limit` rows that precede a key, that is, older ones. */
export type InstantPage = Readonly<{ before: InstantKey; limit: number }>

/** Greater than the key of any row: where the first page starts. */
export const NEWEST: InstantKey = { at: 'infinity', id: '' }
