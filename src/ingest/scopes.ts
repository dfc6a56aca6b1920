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

/** What people of a shop are, as sets of scopes: a token for each person. */
export const ROLES = {
  viewer: ['read'],
  support: ['support', 'redeem', 'account'],
  editor: ['read', 'program'],
  publisher: ['read', 'program', 'publish'],
  administrator: ['admin'],
} as const satisfies Record<string, readonly Scope[]>
export type Role = keyof typeof ROLES

const INCLUDED: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { support: ['read'], admin: SCOPES }

/** These scopes, and those that they include. */
export function withIncluded(scopes: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(scopes.flatMap((scope) => [scope, ...(INCLUDED[scope] ?? [])]))
}

/** The role that is these scopes exactly; undefined where none is. */
export function roleOf(scopes: ReadonlySet<Scope>): Role | undefined {
  const roles = Object.keys(ROLES) as Role[]
  return roles.find((role) => {
    const included = withIncluded(ROLES[role])
    return included.size === scopes.size && [...included].every((scope) => scopes.has(scope))
  })
}
