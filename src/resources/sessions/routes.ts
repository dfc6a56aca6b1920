import type { Deps } from '../../deps.ts'
import { text } from '../../engine/ingest/fields.ts'
import { optional, type RecordWords, readRecord, schemaOf } from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { SESSION_RESPONSES } from './responses.ts'
import { createSignInCode, endSession, listSessions } from './service.ts'
import { SIGN_IN_CODE_LIFETIME } from './sign-in-code-lifetime.ts'

const codeFields = { tokenId: optional('token_id', text, undefined) }

const CODE_WORDS: RecordWords<typeof codeFields> = {
  title: 'NewSignInCode',
  description: 'The token of the session',
  fields: {
    tokenId: "token ID for the session; default: the caller's or, if not stored, the oldest with the scope `admin`",
  },
}

const DESCRIBED = {
  list: {
    operationId: 'listSessions',
    tag: 'sessions',
    summary: 'List console sessions, newest first',
    description: 'Without their cookies.',
    example: {
      response: {
        sessions: [
          {
            id: '0a1b2c3d4e5f',
            token_id: '6f1f0c3a9b2e',
            name: 'asha',
            browser: 'Firefox',
            created_at: '2026-06-01T12:00:00.000Z',
            last_used_at: '2026-06-01T12:00:00.000Z',
            expires_at: '2026-06-02T00:00:00.000Z',
          },
        ],
      },
    },
  },
  end: {
    operationId: 'endSession',
    tag: 'sessions',
    summary: 'End a console session',
    description: 'Its browser has to sign in again, on every replica within a second.',
    parameters: {
      id: Type.String({
        pattern: '^[0-9a-f]{12}$',
        description: 'session ID',
        examples: ['0a1b2c3d4e5f'],
      }),
    },
    example: { response: { ended: '0a1b2c3d4e5f' } },
  },
  createCode: {
    operationId: 'createSignInCode',
    tag: 'sessions',
    summary: 'Create a one-time link to the console',
    description: `Valid for one sign-in within ${SIGN_IN_CODE_LIFETIME}: open \`/console/#code=\` and the code. The code is only in this response.`,
    data: schemaOf(codeFields, CODE_WORDS),
    example: {
      data: {},
      response: { code: 'kq0c...', token_id: '6f1f0c3a9b2e', expires_at: '2026-06-01T12:10:00.000Z' },
    },
  },
} as const satisfies Record<string, Description>

/** Who is signed in to the console, and links for signing in (decision 131). `refresh` makes a change known to this process at once. */
export function adminSessionRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  return [
    adminRoute(
      SESSION_RESPONSES,
      'GET /api/admin/sessions',
      ['admin'],
      { described: DESCRIBED.list },
      async ({ deadlineAt }) => {
        const sessions = await listSessions(deps, deadlineAt)
        return {
          sessions: sessions.map(({ session_id, token_name, digest: _, ...rest }) => ({
            id: session_id,
            name: token_name,
            ...rest,
          })),
        }
      },
    ),
    adminRoute(
      SESSION_RESPONSES,
      'DELETE /api/admin/sessions/:id',
      ['admin'],
      { described: DESCRIBED.end },
      async ({ params, caller, deadlineAt, ...request }) => {
        await endSession(stopOnDisconnect(deps, request), params.id!, caller.tokenId, deadlineAt)
        await refresh()
        return { ended: params.id! }
      },
    ),
    adminRoute(
      SESSION_RESPONSES,
      'POST /api/admin/sign-in-codes',
      ['admin'],
      { described: DESCRIBED.createCode },
      async ({ data, caller, deadlineAt, ...request }) => {
        const { tokenId: wanted } = readRecord(codeFields, data, 'data')
        const wish = { wanted, by: caller.tokenId }
        const { code, tokenId, expiresAt } = await createSignInCode(stopOnDisconnect(deps, request), wish, deadlineAt)
        return { code, token_id: tokenId, expires_at: expiresAt }
      },
    ),
  ]
}
