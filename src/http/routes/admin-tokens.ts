import { createToken } from '../../operations/create-token.ts'
import type { Deps } from '../../operations/deps.ts'
import { listTokens } from '../../operations/list-tokens.ts'
import { revokeToken } from '../../operations/revoke-token.ts'
import { rotateToken } from '../../operations/rotate-token.ts'
import type { IssuedToken } from '../../operations/tokens/new-token.ts'
import { abandonable } from '../abandonable.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** Tokens of the service, for its command line and console (decisions 60 to 63 and 65). `refresh` makes a change known to this process at once. */
export function adminTokenRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  return [
    adminRoute('GET /api/admin/tokens', ['admin'], {}, async ({ deadlineAt }) => {
      const tokens = await listTokens(deps, deadlineAt)
      return { tokens: tokens.map(({ token_id, digest: _, ...rest }) => ({ id: token_id, ...rest })) }
    }),
    adminRoute(
      'POST /api/admin/tokens',
      ['admin'],
      { takesBody: true },
      async ({ data, caller, deadlineAt, ...request }) => {
        const issued = await createToken(abandonable(deps, request), data, caller.tokenId, deadlineAt)
        await refresh()
        return wire(issued)
      },
    ),
    adminRoute(
      'POST /api/admin/tokens/:id/revoke',
      ['admin'],
      {},
      async ({ params, caller, deadlineAt, ...request }) => {
        await revokeToken(abandonable(deps, request), params.id!, caller.tokenId, deadlineAt)
        await refresh()
        return { revoked: params.id! }
      },
    ),
    adminRoute(
      'POST /api/admin/tokens/:id/rotate',
      ['admin'],
      { texts: ['overlap'] },
      async ({ params, texts, caller, deadlineAt, ...request }) => {
        const rotation = { overlap: texts.overlap, by: caller.tokenId }
        const issued = await rotateToken(abandonable(deps, request), params.id!, rotation, deadlineAt)
        await refresh()
        return wire(issued)
      },
    ),
  ]
}

function wire({ expiresAt, ...issued }: IssuedToken) {
  return { ...issued, expires_at: expiresAt ?? null }
}
