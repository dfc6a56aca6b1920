/** A range of time, [`from`, `to`): RFC 3339 moments, or `-infinity` and `infinity`. */
export type TimeRange = Readonly<{ from: string; to: string }>
