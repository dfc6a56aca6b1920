import { moment, nonBlankText } from '../../engine/ingest/fields.ts'
import {
  type Field,
  InvalidValue,
  optional,
  type RecordWords,
  readRecord,
  required,
} from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { InvalidInput } from '../../errors.ts'
import { prepareAct } from '../../shared/audit/prepare-act.ts'
import { SCOPES, type Scope } from '../../shared/scopes.ts'
import { listValidTokens } from './list-tokens.ts'
import { type IssuedToken, newToken, type TokenDeps } from './new-token.ts'
import { insertToken, TOKENS_MAX } from './store.ts'

const scopeList: Field<Scope[]> = {
  schema: Type.Array(Type.Enum([...SCOPES], { type: 'string' }), { minItems: 1 }),
  read: (value) => {
    const isScope = (one: unknown): one is Scope => SCOPES.includes(one as Scope)
    if (!Array.isArray(value) || value.length === 0 || !value.every(isScope)) {
      throw new InvalidValue(
        `a list of scopes (${SCOPES.join(', ')})`,
        Array.isArray(value) ? value.find((one) => !isScope(one)) : value,
      )
    }
    return [...new Set(value)]
  },
}

export const tokenFields = {
  name: required('name', nonBlankText),
  scopes: required('scopes', scopeList),
  expiresAt: optional('expires_at', moment, undefined),
}

export const TOKEN_WORDS: RecordWords<typeof tokenFields> = {
  title: 'NewToken',
  description: 'What a new token is for',
  fields: {
    name: 'what the token is for; not blank',
    scopes: 'what the token may do; `admin` includes all others, `support` includes `read`',
    expiresAt: 'when the token ends, a moment ahead; absent: never',
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
    throw new InvalidInput('data.expires_at', 'expected a moment that lies ahead')
  const valid = await listValidTokens(deps, deadlineAt)
  if (valid.length >= TOKENS_MAX)
    throw new InvalidInput('data', `there are ${TOKENS_MAX} valid tokens already, which is as many as a service keeps`)
  const { issued, stored } = newToken(name, scopes, now, expiresAt)
  const writeAct = prepareAct('token-created', { at: stored.at, by })
  await deps.db.transaction(async (tx) => {
    await insertToken(tx, stored)
    await writeAct(tx, issued.id, { scopes, expires_at: expiresAt ?? null })
  }, deadlineAt)
  deps.observe({ kind: 'tokens-changed', act: 'created', tokenId: issued.id, by })
  return issued
}
