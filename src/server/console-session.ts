/*
 * Signing in to the console, and out. These routes set cookies and need no token in a header, so they are not routes like the others.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { nonBlankText } from '../engine/ingest/fields.ts'
import { optional, readRecord } from '../engine/ingest/record.ts'
import { UTC } from '../engine/points/local-time.ts'
import { programAt } from '../engine/points/programs.ts'
import { InvalidInput } from '../errors.ts'
import type { ConsoleSession, SessionCache } from '../resources/sessions/cache.ts'
import type { SignedIn } from '../resources/sessions/responses.ts'
import { type Credential, endSession, signIn } from '../resources/sessions/service.ts'
import { SIGN_IN_BODY } from '../routing/body-limits.ts'
import { type Caller, roleOf } from '../scopes.ts'
import type { Authenticator } from './authenticator.ts'
import { readJsonBody } from './body/body.ts'
import type { ReservationFor } from './body/body-budget.ts'
import { dataOf } from './body/envelope.ts'
import { checkMediaType } from './body/media-type.ts'
import { assertMaySignIn, browserOf, cookieFor, isOfOwnPage, noCookieFor, type Sessions } from './session-cookies.ts'

const PATH = '/api/console/session'
const TIMEOUT_MS = 10_000

export type ConsoleSessionRoutes = Readonly<{
  deps: Pick<Deps, 'db' | 'now' | 'observe' | 'programs'>
  cache: SessionCache
  sessions: Sessions
  authenticator: Authenticator
  /** Makes a session that was just created or ended known to this process at once. */
  refresh: () => Promise<void>
  isServedTo: (request: FastifyRequest['raw']) => boolean
  reservationFor: ReservationFor
}>

const credentialFields = {
  token: optional('token', nonBlankText, undefined),
  code: optional('code', nonBlankText, undefined),
}

/** `POST` signs in with a token or a one-time code, `GET` says who is signed in, `DELETE` signs out (decision 131). */
export function registerConsoleSession(
  app: FastifyInstance,
  { deps, cache, sessions, authenticator, refresh, isServedTo, reservationFor }: ConsoleSessionRoutes,
): void {
  const deadlineAt = () => performance.now() + TIMEOUT_MS
  const timeZone = () => programAt(deps.programs(), deps.now().toISOString())?.program.timeZone ?? UTC

  const route = (method: string, handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    app.route({
      method,
      url: PATH,
      handler: async (request, reply) => {
        if (!isServedTo(request.raw)) return reply.callNotFound()
        reply.header('cache-control', 'no-store')
        return handle(request, reply)
      },
    })

  async function credentialIn(request: FastifyRequest, reply: FastifyReply): Promise<Credential> {
    checkMediaType(request.headers)
    const body = await readJsonBody(
      request.raw,
      SIGN_IN_BODY,
      reservationFor(reply.raw, { address: request.ip }, TIMEOUT_MS),
    )
    const { token, code } = readRecord(credentialFields, dataOf(body, ['POST']), 'data')
    if ((token === undefined) === (code === undefined))
      throw new InvalidInput('data', 'expected exactly one of token and code')
    return token === undefined ? { code: code! } : { tokenId: authenticator.requireCaller(request, token).tokenId }
  }

  route('POST', async (request, reply) => {
    if (!isOfOwnPage(request))
      throw new InvalidInput('header.x-laurel-console', 'expected 1, from a page of the console itself')
    assertMaySignIn(request)
    const credential = await credentialIn(request, reply)
    const before = sessions.find(request)
    const replaces = typeof before === 'object' ? before.id : undefined
    const made = await signIn(deps, credential, { browser: browserOf(request.headers), replaces }, deadlineAt())
    if (made === undefined) throw authenticator.wrong(request, 'this link was already used or has expired')
    await refresh()
    const session = cache.find(made.cookie, true)
    if (session === undefined) throw authenticator.wrong(request, 'the token of this link is no longer valid')
    reply.header('set-cookie', cookieFor(request, made.cookie))
    return signedIn(session.caller, session, timeZone())
  })

  route('GET', async (request) => {
    const { caller, session } = authenticator.identify(request)
    return signedIn(caller, session, timeZone())
  })

  route('DELETE', async (request, reply) => {
    const session = sessions.find(request)
    if (typeof session === 'object') {
      await endSession(deps, session.id, session.caller.tokenId, deadlineAt())
      await refresh()
    }
    // Signing out twice is fine.
    if (isOfOwnPage(request))
      reply.headers({ 'set-cookie': noCookieFor(request), 'clear-site-data': '"cache", "storage"' })
    return { signed_out: true }
  })
}

function signedIn({ tokenId, name, scopes }: Caller, session: ConsoleSession | undefined, timeZone: string): SignedIn {
  return {
    token: { id: tokenId, name },
    scopes: [...scopes],
    role: roleOf(scopes) ?? null,
    masked: !scopes.has('support'),
    time_zone: timeZone,
    session:
      session === undefined ? null : { id: session.id, created_at: session.createdAt, expires_at: session.expiresAt },
  }
}
