/**
 * What a token may allow (decision 67).
 * `account`   one player's balance and history, which a storefront shows
 * `read`      everything that is listed and counted, personal data masked
 * `support`   `read`, personal data on demand, adjustments and imports
 * `publish`   a program that counts; `program` only drafts, checks and backtests
 * `admin`     everything
 */
export const SCOPES = [
  'predict',
  'players',
  'products',
  'orders',
  'account',
  'redeem',
  'read',
  'support',
  'program',
  'publish',
  'metrics',
  'admin',
] as const
export type Scope = (typeof SCOPES)[number]

const INCLUDED: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { support: ['read'], admin: SCOPES }

/** These scopes, and those that they include. */
export function withIncluded(scopes: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(scopes.flatMap((scope) => [scope, ...(INCLUDED[scope] ?? [])]))
}
