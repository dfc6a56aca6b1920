/*
 * What can be done with tokens.
 */
import { randomBytes } from 'node:crypto'
import { changeAndRecord } from '../../audit-log/record-acts.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Deps } from '../../deps.ts'
import { nonBlankText, timestamp } from '../../engine/ingest/fields.ts'
import {
  type Field,
  InvalidValue,
  optional,
  type RecordWords,
  readRecord,
  required,
} from '../../engine/ingest/record.ts'
import { shortened, shown } from '../../engine/ingest/shown.ts'
import { readDurationMs } from '../../engine/points/calendar.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { SCOPES, type Scope } from '../../scopes.ts'
import {
  endToken,
  insertToken,
  markTokenRevoked,
  type NewToken,
  type StoredToken,
  selectTokens,
  selectValidTokens,
  TOKENS_MAX,
} from './store.ts'
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

/** A random token text (decision 60). Chosen before the transaction, so that a retry writes the same row. */
export function newTokenText(): string {
  return tokenText(randomBytes(TOKEN_ID_BYTES), randomBytes(TOKEN_SECRET_BYTES))
}

/** Creates a token: what its owner gets to see once, and what is stored of it (decision 60). */
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

const scopeList: Field<Scope[]> = {
  schema: Type.Array(Type.Enum([...SCOPES], { type: 'string' }), { minItems: 1 }),
  read: (value) => {
    const isScope = (one: unknown): one is Scope => SCOPES.includes(one as Scope)
    if (!Array.isArray(value) || value.length === 0 || !value.every(isScope)) {
      throw new InvalidValue(
        `an array of scopes (${SCOPES.join(', ')})`,
        Array.isArray(value) ? value.find((one) => !isScope(one)) : value,
      )
    }
    return [...new Set(value)]
  },
}

export const tokenFields = {
  name: required('name', nonBlankText),
  scopes: required('scopes', scopeList),
  expiresAt: optional('expires_at', timestamp, undefined),
}

export const TOKEN_WORDS: RecordWords<typeof tokenFields> = {
  title: 'NewToken',
  description: 'A new token',
  fields: {
    name: 'token name; non-blank',
    scopes: 'token scopes; `admin` includes all others, `support` includes `read`',
    expiresAt: 'when the token expires, a timestamp in the future; default: never',
  },
}

/**
 * Issues a token (decision 60). `data` is unvalidated input; `by` is the id of the caller's token.
 * Bounds: 10,000 valid tokens. Errors: InvalidInput for the first invalid field, or if there are too many tokens; Unavailable.
 */
export async function createToken(
  deps: TokenDeps,
  data: unknown,
  by: string,
  deadlineAt: number,
): Promise<IssuedToken> {
  const { name, scopes, expiresAt } = readRecord(tokenFields, data, 'data')
  const now = deps.now()
  if (expiresAt !== undefined && expiresAt <= now.toISOString())
    throw new InvalidInput('data.expires_at', 'expected a timestamp in the future')
  const valid = await listValidTokens(deps, deadlineAt)
  if (valid.length >= TOKENS_MAX)
    throw new InvalidInput('data', `token limit (${TOKENS_MAX}) reached: revoke one first`)
  const { issued, stored } = newToken(name, scopes, now, expiresAt)
  await changeAndRecord(deps.db, { act: 'token-created', at: stored.at, deadlineAt }, async (tx) => {
    await insertToken(tx, stored)
    const detail = { scopes, expires_at: expiresAt ?? null }
    return { response: undefined, record: { by, subject: issued.id, detail } }
  })
  deps.observe({ kind: 'tokens-changed', act: 'created', tokenId: issued.id, by })
  return issued
}

/** All tokens, newest first. What is stored identifies a token, but does not suffice to use it. Errors: Unavailable. */
export async function listTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return selectTokens(readerOf(deps.db, deadlineAt))
}

/** The tokens neither revoked nor expired, oldest first. Errors: Unavailable. */
export async function listValidTokens(deps: TokenDeps, deadlineAt: number): Promise<StoredToken[]> {
  return selectValidTokens(readerOf(deps.db, deadlineAt), deps.now().toISOString())
}

/** Revokes a token; idempotent (decision 60). `by` is the id of the caller's token. Errors: NotFound, Unavailable. */
export async function revokeToken(deps: TokenDeps, id: string, by: string, deadlineAt: number): Promise<void> {
  const at = deps.now().toISOString()
  await changeAndRecord(deps.db, { act: 'token-revoked', at, deadlineAt }, async (tx) => {
    const isRevoked = await markTokenRevoked(tx, id, at)
    if (isRevoked === undefined) throw new NotFound(`token ${shortened(id)} not found`)
    return { response: undefined, record: isRevoked ? { by, subject: id } : undefined }
  })
  deps.observe({ kind: 'tokens-changed', act: 'revoked', tokenId: id, by })
}

const OVERLAP_MAX_MS = 30 * 86_400_000

/**
 * Replaces a valid token with a new one of the same name, scopes and expiry. The same transaction revokes the old one or, given an `overlap`
 * like `24h`, makes it expire after that time at the latest; until then both are valid. `by` is the id of the caller's token.
 * Errors: InvalidInput for an invalid overlap; NotFound, Unavailable.
 */
export async function rotateToken(
  deps: TokenDeps,
  id: string,
  { overlap, by }: Readonly<{ overlap: string | undefined; by: string }>,
  deadlineAt: number,
): Promise<IssuedToken> {
  const now = deps.now()
  const at = now.toISOString()
  const endsAt = new Date(now.getTime() + overlapMs(overlap)).toISOString()
  const text = newTokenText()
  const issued = await changeAndRecord(deps.db, { act: 'token-rotated', at, deadlineAt }, async (tx) => {
    const grant = await endToken(tx, id, at, endsAt)
    if (grant === undefined) throw new NotFound(`valid token ${shortened(id)} not found`)
    const { issued, stored } = newToken(grant.name, grant.scopes as Scope[], now, grant.expires_at ?? undefined, text)
    await insertToken(tx, stored)
    return { response: issued, record: { by, subject: id, detail: { replaced_by: issued.id } } }
  })
  deps.observe({ kind: 'tokens-changed', act: 'rotated', tokenId: id, by })
  return issued
}

function overlapMs(overlap: string | undefined): number {
  if (overlap === undefined) return 0
  const ms = readDurationMs(overlap)
  if (ms === undefined || ms > OVERLAP_MAX_MS)
    throw new InvalidInput('query.overlap', `expected a duration like 24h or 7d, at most 30d, got ${shown(overlap)}`)
  return ms
}
