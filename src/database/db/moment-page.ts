/** The sort key of a row in a list that is newest first: its moment (RFC 3339), then its id. */
export type MomentKey = Readonly<{ at: string; id: string }>

/** A page of at most `limit` rows that precede a key, that is, older ones. */
export type MomentPage = Readonly<{ before: MomentKey; limit: number }>

/** Greater than the key of any row: where the first page starts. */
export const NEWEST: MomentKey = { at: 'infinity', id: '' }
