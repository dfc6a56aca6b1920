import { Unauthorized } from './errors.ts'

/**
 * What a token may allow (decision 67).
 * `account`   a player's balance and history, as shown by a storefront
 * `read`      all lists and statistics, with personal data masked
 * `support`   `read`, personal data on demand, adjustments and imports
 * `publish`   publishing programs; `program` allows only drafts, checks and backtests
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

/** The roles of a shop's staff, as sets of scopes; each person has a token of their own. */
export const ROLES = {
  viewer: ['read'],
  support: ['support', 'redeem', 'account'],
  editor: ['read', 'program'],
  publisher: ['read', 'program', 'publish'],
  administrator: ['admin'],
} as const satisfies Record<string, readonly Scope[]>
export type Role = keyof typeof ROLES

const INCLUDED: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { support: ['read'], admin: SCOPES }

/** The scopes, and those that they include. */
export function withIncluded(scopes: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(scopes.flatMap((scope) => [scope, ...(INCLUDED[scope] ?? [])]))
}

/** The role with exactly these scopes; undefined if there is none. */
export function roleOf(scopes: ReadonlySet<Scope>): Role | undefined {
  const roles = Object.keys(ROLES) as Role[]
  return roles.find((role) => {
    const included = withIncluded(ROLES[role])
    return included.size === scopes.size && [...included].every((scope) => scopes.has(scope))
  })
}

/** The caller: the public id of the token, its name, and its scopes, including implied ones. */
export type Caller = Readonly<{ tokenId: string; name: string; scopes: ReadonlySet<Scope> }>

/** Errors: Unauthorized for a caller with none of these scopes. */
export function assertScope(caller: Caller, scopes: readonly Scope[]): void {
  if (!hasScope(caller, scopes)) {
    const missing = { scope: scopes[0]!, tokenId: caller.tokenId }
    throw new Unauthorized(`this token does not have the scope ${scopes.join(' or ')}`, missing)
  }
}

/** One of them is enough. */
export function hasScope(caller: Caller, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => caller.scopes.has(scope))
}
