/*
 * What tokens may do, in words. The lists are complete: the types of the routes say so.
 */
import type { SignedIn } from '../../src/resources/sessions/responses.ts'

export type Scope = SignedIn['scopes'][number]
export type Role = NonNullable<SignedIn['role']>

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  predict: 'request predictions',
  players: 'send players',
  products: 'send products',
  orders: 'send orders',
  account: "read a player's balance and history",
  redeem: 'hold and spend points',
  read: 'read lists and statistics, personal data masked',
  support: 'see personal data, adjust points',
  program: 'write and check programs',
  publish: 'publish and withdraw programs',
  metrics: 'read Prometheus metrics',
  admin: 'everything, including tokens',
}
export const SCOPE_NAMES = Object.keys(SCOPE_WORDS) as Scope[]

/** Roles of the people in a shop: sets of scopes, with a token for each person. */
export const ROLES: Readonly<Record<Role, Readonly<{ name: string; scopes: readonly Scope[] }>>> = {
  viewer: { name: 'Viewer', scopes: ['read'] },
  support: { name: 'Support', scopes: ['account', 'redeem', 'support'] },
  editor: { name: 'Editor', scopes: ['read', 'program'] },
  publisher: { name: 'Publisher', scopes: ['read', 'program', 'publish'] },
  administrator: { name: 'Administrator', scopes: ['admin'] },
}

/** The role that has these scopes and no others. */
export function roleOf(scopes: readonly string[]): Role | undefined {
  const roles = Object.keys(ROLES) as Role[]
  return roles.find((role) => {
    const wanted: readonly string[] = ROLES[role].scopes
    return wanted.length === scopes.length && scopes.every((scope) => wanted.includes(scope))
  })
}
