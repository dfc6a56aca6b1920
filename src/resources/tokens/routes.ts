import type { Deps } from '../../deps.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { TOKEN_RESPONSES } from './responses.ts'
import {
  createToken,
  type IssuedToken,
  listTokens,
  revokeToken,
  rotateToken,
  TOKEN_WORDS,
  tokenFields,
} from './service.ts'

const issuedExample = {
  id: '6f1f0c3a9b2e',
  token: 'laurel_6f1f0c3a9b2e_...',
  name: 'till',
  scopes: ['predict'],
  expires_at: '2099-01-31T00:00:00.000Z',
}
const parameters = {
  id: Type.String({ pattern: '^[0-9a-f]{12}$', description: 'token ID', examples: ['6f1f0c3a9b2e'] }),
}

const DESCRIBED = {
  list: {
    operationId: 'listTokens',
    tag: 'tokens',
    summary: 'List all tokens, newest first',
    description: 'Without their secrets.',
    example: {
      response: {
        tokens: [
          {
            id: '6f1f0c3a9b2e',
            name: 'till',
            scopes: ['predict'],
            created_at: '2026-06-01T12:00:00.000Z',
            expires_at: '2099-01-31T00:00:00.000Z',
            revoked_at: null,
            last_used_at: null,
          },
        ],
      },
    },
  },
  create: {
    operationId: 'createToken',
    tag: 'tokens',
    summary: 'Create a token',
    description: 'Its secret is only in this response.',
    data: schemaOf(tokenFields, TOKEN_WORDS),
    example: {
      data: { name: 'till', scopes: ['predict'], expires_at: '2099-01-31T00:00:00Z' },
      response: issuedExample,
    },
  },
  revoke: {
    operationId: 'revokeToken',
    tag: 'tokens',
    summary: 'Revoke a token',
    description: 'It is refused on every replica within a second. Idempotent.',
    parameters,
    example: { response: { revoked: '6f1f0c3a9b2e' } },
  },
  rotate: {
    operationId: 'rotateToken',
    tag: 'tokens',
    summary: 'Rotate a token',
    description:
      'The new token has the same name, scopes and expiry; the old one is revoked or, with `overlap`, expires after that time.',
    parameters,
    example: { response: issuedExample },
  },
} as const satisfies Record<string, Description>

/** Tokens of the service, for its command line and console (decisions 60 and 65). `refresh` makes a change known to this process at once. */
export function adminTokenRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  return [
    adminRoute(
      TOKEN_RESPONSES,
      'GET /api/admin/tokens',
      ['admin'],
      { described: DESCRIBED.list },
      async ({ deadlineAt }) => {
        const tokens = await listTokens(deps, deadlineAt)
        return { tokens: tokens.map(({ token_id, digest: _, ...rest }) => ({ id: token_id, ...rest })) }
      },
    ),
    adminRoute(
      TOKEN_RESPONSES,
      'POST /api/admin/tokens',
      ['admin'],
      { described: DESCRIBED.create },
      async ({ data, caller, deadlineAt, ...request }) => {
        const issued = await createToken(stopOnDisconnect(deps, request), data, caller.tokenId, deadlineAt)
        await refresh()
        return wire(issued)
      },
    ),
    adminRoute(
      TOKEN_RESPONSES,
      'POST /api/admin/tokens/:id/revoke',
      ['admin'],
      { described: DESCRIBED.revoke },
      async ({ params, caller, deadlineAt, ...request }) => {
        await revokeToken(stopOnDisconnect(deps, request), params.id!, caller.tokenId, deadlineAt)
        await refresh()
        return { revoked: params.id! }
      },
    ),
    adminRoute(
      TOKEN_RESPONSES,
      'POST /api/admin/tokens/:id/rotate',
      ['admin'],
      { texts: ['overlap'], described: DESCRIBED.rotate },
      async ({ params, texts, caller, deadlineAt, ...request }) => {
        const rotation = { overlap: texts.overlap, by: caller.tokenId }
        const issued = await rotateToken(stopOnDisconnect(deps, request), params.id!, rotation, deadlineAt)
        await refresh()
        return wire(issued)
      },
    ),
  ]
}

function wire({ expiresAt, ...issued }: IssuedToken) {
  return { ...issued, expires_at: expiresAt ?? null }
}
