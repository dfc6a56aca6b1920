import { randomBytes } from 'node:crypto'
import type { Scope } from '../../ingest/scopes.ts'
import { TOKEN_ID_BYTES, TOKEN_SECRET_BYTES, tokenDigest, tokenText } from '../../ingest/token.ts'
import type { NewToken } from '../../store/tokens.ts'
import type { Deps } from '../deps.ts'

/** What the operations on tokens need. */
export type TokenDeps = Pick<Deps, 'db' | 'now' | 'observe'>

/** A token just made: the only moment at which its text is known. `expiresAt` is a moment (RFC 3339); undefined: it never expires. */
export type IssuedToken = Readonly<{
  id: string
  token: string
  name: string
  scopes: readonly Scope[]
  expiresAt: string | undefined
}>

/** Makes a token from random bytes: what its owner gets to see once, and what is to be stored of it (decision 61). */
export function newToken(
  name: string,
  scopes: readonly Scope[],
  at: Date,
  expiresAt?: string,
): { issued: IssuedToken; stored: NewToken } {
  const id = randomBytes(TOKEN_ID_BYTES)
  const token = tokenText(id, randomBytes(TOKEN_SECRET_BYTES))
  const issued = { id: id.toString('hex'), token, name, scopes, expiresAt }
  return {
    issued,
    stored: {
      id: issued.id,
      name,
      digest: tokenDigest(token).toString('hex'),
      scopes,
      at: at.toISOString(),
      expiresAt,
    },
  }
}
