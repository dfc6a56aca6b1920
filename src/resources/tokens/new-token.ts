import { randomBytes } from 'node:crypto'
import type { Deps } from '../../shared/deps.ts'
import type { Scope } from '../../shared/scopes.ts'
import type { NewToken } from './store.ts'
import { TOKEN_ID_BYTES, TOKEN_SECRET_BYTES, tokenDigest, tokenIdOf, tokenText } from './token-text.ts'

/** The dependencies of operations on tokens. */
export type TokenDeps = Pick<Deps, 'db' | 'now' | 'observe'>

/** A token just created: the only time its text is known. `expiresAt` is a moment (RFC 3339); undefined: it never expires. */
export type IssuedToken = Readonly<{
  id: string
  token: string
  name: string
  scopes: readonly Scope[]
  expiresAt: string | undefined
}>

/** A random token text (decision 61). Chosen before the transaction, so that a retry writes the same row. */
export function newTokenText(): string {
  return tokenText(randomBytes(TOKEN_ID_BYTES), randomBytes(TOKEN_SECRET_BYTES))
}

/** Creates a token: what its owner gets to see once, and what is stored of it (decision 61). */
export function newToken(
  name: string,
  scopes: readonly Scope[],
  at: Date,
  expiresAt?: string,
  token: string = newTokenText(),
): { issued: IssuedToken; stored: NewToken } {
  const id = tokenIdOf(token)!
  const digest = tokenDigest(token).toString('hex')
  return {
    issued: { id, token, name, scopes, expiresAt },
    stored: { id, name, digest, scopes, at: at.toISOString(), expiresAt },
  }
}
