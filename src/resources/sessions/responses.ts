/*
 * The responses of the routes of sessions.
 */

import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'
import type { Role, Scope } from '../../scopes.ts'

const { listOf, text, timestamp } = RESPONSE_PARTS
const { tokenId, tokenName } = SHARED_RESPONSES

const sessionId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'session ID' })

export const SESSION_RESPONSES = {
  'GET /api/admin/sessions': Type.Object({
    sessions: listOf(
      Type.Object(
        {
          id: sessionId,
          token_id: tokenId,
          name: tokenName,
          browser: text('Firefox, Chrome, Edge, Opera, Safari or other'),
          created_at: timestamp('when the user signed in'),
          last_used_at: timestamp('when the session was used last, to the minute'),
          expires_at: timestamp('when the session expires, used or not'),
        },
        { title: 'Session', description: 'A console session, without its cookie' },
      ),
      'newest first',
    ),
  }),
  'DELETE /api/admin/sessions/:id': Type.Object({ ended: sessionId }),
  'POST /api/admin/sign-in-codes': Type.Object(
    {
      code: text('the secret code, shown only once'),
      token_id: tokenId,
      expires_at: timestamp('when the code expires'),
    },
    { title: 'SignInCode', description: 'A one-time sign-in code for the console' },
  ),
} as const

/** Who is signed in, and what they may do. Times are null for a caller with a token instead of a cookie. */
export type SignedIn = Readonly<{
  token: Readonly<{ id: string; name: string }>
  scopes: readonly Scope[]
  role: Role | null
  /** Whether names and addresses are always masked for them. */
  masked: boolean
  /** The time zone of the program in effect: the days of statistics and lists are its days. */
  time_zone: string
  session: Readonly<{ id: string; created_at: string; expires_at: string }> | null
}>
