/** What a token may allow; `admin` includes the others (decision 63). */
export const SCOPES = ['predict', 'players', 'products', 'orders', 'admin'] as const
export type Scope = (typeof SCOPES)[number]
