import { Unauthorized } from '../errors.ts'
import type { Scope } from './scopes.ts'

/** The caller: the public id of the token, its name, and its scopes, including implied ones. */
export type Caller = Readonly<{ tokenId: string; name: string; scopes: ReadonlySet<Scope> }>

/** Errors: Unauthorized for a caller with none of these scopes. */
export function assertScope(caller: Caller, scopes: readonly Scope[]): void {
  if (!hasScope(caller, scopes))
    throw new Unauthorized(`this token does not have the scope ${scopes.join(' or ')}`, scopes[0])
}

/** One of them is enough. */
export function hasScope(caller: Caller, scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => caller.scopes.has(scope))
}
