import { randomBytes } from 'node:crypto'
import { InvalidInput, NotFound } from '../errors.ts'
import { filledText, moment } from '../ingest/fields.ts'
import { type Field, Misfit, optional, readRecord, required } from '../ingest/record.ts'
import { shortened } from '../ingest/shown.ts'
import { SCOPES, type Scope, TOKEN_ID_BYTES, TOKEN_SECRET_BYTES, tokenDigest, tokenText } from '../ingest/token.ts'
import { readerOf } from '../store/db/reader.ts'
import {
  endToken,
  insertToken,
  selectTokens as list,
  selectValidTokens as listGood,
  type NewToken,
  markTokenRevoked as revoke,
  type StoredToken,
  TOKENS_MAX,
} from '../store/tokens.ts'
import type { Deps } from './deps.ts'

/** A token just made: the only moment at which its text is known. */
export type IssuedToken = Readonly<{
  id: string
  token: string
  name: string
  scopes: readonly Scope[]
  expiresAt: string | undefined
}>

type TokenDeps = Pick<Deps, 'db' | 'now' | 'observe'>

const scopeList: Field<Scope[]> = {
  schema: {},
  read: (value) => {
    const known = (scope: unknown): scope is Scope => SCOPES.includes(scope as Scope)
    if (!Array.isArray(value) || value.length === 0 || !value.every(known)) {
      throw new Misfit(
        `a list of scopes (${SCOPES.join(', ')})`,
        Array.isArray(value) ? value.find((one) => !known(one)) : value,
      )
    }
    return [...new Set(value)]
  },
}

const tokenFields = {
  name: required('name', filledText),
  scopes: required('scopes', scopeList),
  expiresAt: optional('expires_at', moment, undefined),
}

/** A new token with a name and scopes, not yet stored. */
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

/** Issues a token (decision 60). Errors: InvalidInput for the first field that does not fit. */
export async function createToken(
  deps: TokenDeps,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<IssuedToken> {
  const { name, scopes, expiresAt } = readRecord(tokenFields, data, 'data')
  const now = deps.now()
  if (expiresAt !== undefined && expiresAt <= now.toISOString())
    throw new InvalidInput('data.expires_at', 'expected a moment that lies ahead')
  const good = await listValidTokens(deps, deadlineAt)
  if (good.length >= TOKENS_MAX)
    throw new InvalidInput('data', `there are ${TOKENS_MAX} good tokens already, which is as many as a service keeps`)
  const made = newToken(name, scopes, now, expiresAt)
  await deps.db.transaction((tx) => insertToken(tx, made.stored), deadlineAt)
  deps.observe({ kind: 'tokens-changed', act: 'created', tokenId: made.issued.id, by })
  return made.issued
}

/** All tokens, newest first; what is stored of a token is enough to name it, and not to use it. */
export async function listTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return list(readerOf(deps.db, deadlineAt))
}

/** The tokens that are good now, oldest first: those that the service admits. */
export async function listValidTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return listGood(readerOf(deps.db, deadlineAt), deps.now().toISOString())
}

/** Revokes a token; twice is no error (decision 62). Errors: NotFound. */
export async function revokeToken(deps: TokenDeps, id: string, by: string, deadlineAt: number): Promise<void> {
  const found = await deps.db.transaction((tx) => revoke(tx, id, deps.now().toISOString()), deadlineAt)
  if (!found) throw new NotFound(`there is no token ${shortened(id)}`)
  deps.observe({ kind: 'tokens-changed', act: 'revoked', tokenId: id, by })
}

/** Replaces a token by a new one of the same name, scopes and expiry; the old one is revoked in the same moment. Errors: NotFound. */
export async function rotateToken(deps: TokenDeps, id: string, by: string, deadlineAt: number): Promise<IssuedToken> {
  const now = deps.now()
  const made = await deps.db.transaction(async (tx) => {
    const old = await endToken(tx, id, now.toISOString())
    if (old === undefined) throw new NotFound(`there is no token ${shortened(id)} that is good`)
    const made = newToken(old.name, old.scopes as Scope[], now, old.expires_at ?? undefined)
    await insertToken(tx, made.stored)
    return made
  }, deadlineAt)
  deps.observe({ kind: 'tokens-changed', act: 'rotated', tokenId: id, by })
  return made.issued
}
