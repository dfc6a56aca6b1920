/*
 * The responses of the routes of tokens.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, text, texts, timestamp, timestampOrNull } = RESPONSE_PARTS
const { tokenId } = SHARED_RESPONSES

const issuedToken = Type.Object(
  {
    id: tokenId,
    token: Type.String({ pattern: '^laurel_', description: 'the secret token, shown only once' }),
    name: text('token name'),
    scopes: texts('token scopes'),
    expires_at: timestampOrNull('when the token expires; null: never'),
  },
  { title: 'IssuedToken', description: 'A new token; its secret is shown only once' },
)

const listedToken = Type.Object(
  {
    id: tokenId,
    name: text('token name'),
    scopes: texts('token scopes'),
    created_at: timestamp('when the token was created'),
    expires_at: timestampOrNull('when the token expires; null: never'),
    revoked_at: timestampOrNull('when the token was revoked; null: not revoked'),
    last_used_at: timestampOrNull('when the token was last used, to the hour; null: no known use'),
  },
  { title: 'Token', description: 'A token without its secret' },
)

export const TOKEN_RESPONSES = {
  'GET /api/admin/tokens': Type.Object({ tokens: listOf(listedToken, 'newest first') }),
  'POST /api/admin/tokens': issuedToken,
  'POST /api/admin/tokens/:id/revoke': Type.Object({ revoked: tokenId }),
  'POST /api/admin/tokens/:id/rotate': issuedToken,
} as const
