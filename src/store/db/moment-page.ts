/** Where a row stands in a list that is newest first: by its moment, RFC 3339, and of one moment by its id. */
export type MomentKey = Readonly<{ at: string; id: string }>

/** At most `limit` rows before one. */
export type MomentPage = Readonly<{ before: MomentKey; limit: number }>

/** What every row is before. */
export const NEWEST: MomentKey = { at: 'infinity', id: '' }
