/*
 * Identifies the caller of a request by its token (decisions 60, 64 and 67). What the caller may do is checked in scopes.ts.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { TooManyRequests, Unauthorized } from '../errors.ts'
import type { ConsoleSession } from '../resources/sessions/cache.ts'
import type { TokenCache } from '../resources/tokens/cache.ts'
import { assertScope, type Caller, hasScope, type Scope } from '../scopes.ts'
import { addressKey } from './address-key.ts'
import type { Sessions } from './session-cookies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The ID of its caller's token, for the log; undefined before it is known. */
    tokenId: string | undefined
  }
}

const GUESSES_MAX = 100
const GUESS_WINDOW_MS = 60_000
/** Addresses remembered at once; beyond that the oldest is forgotten. */
const ADDRESSES_MAX = 10_000

export type Authenticator = Readonly<{
  /** The caller of a request, who must have one of these scopes. Errors: Unauthorized, TooManyRequests. */
  authenticate: (request: FastifyRequest, scopes: readonly Scope[]) => Caller
  /** The caller of a request, whatever their scopes, and the session if no token was sent. Errors: as above. */
  identify: (request: FastifyRequest) => Readonly<{ caller: Caller; session?: ConsoleSession }>
  /** The caller whose token this is. Errors: as above. */
  requireCaller: (request: FastifyRequest, token: string) => Caller
  /** Counts a wrong credential, and returns the error to refuse the request with. Errors: TooManyRequests. */
  wrong: (request: FastifyRequest, error: string) => Unauthorized
  /** The caller whose token a request has, if it has one of these scopes; a wrong token is not counted. */
  callerWith: (request: IncomingMessage, scopes: readonly Scope[]) => Caller | undefined
}>

/** Counts wrong tokens and cookies by address, and refuses more than a person would send. `onWrongToken` is called for each. */
export function createAuthenticator(
  tokens: TokenCache,
  sessions: Sessions | undefined,
  now: () => Date,
  onWrongToken: (request: FastifyRequest) => void,
): Authenticator {
  const counts = new Map<string, { count: number; since: number }>()

  function countWrong(address: string): void {
    const nowMs = now().getTime()
    const previous = counts.get(address)
    const current =
      previous !== undefined && nowMs - previous.since < GUESS_WINDOW_MS ? previous : { count: 0, since: nowMs }
    if (current.count >= GUESSES_MAX)
      throw new TooManyRequests(
        'too many invalid tokens from this address: retry later',
        Math.ceil((current.since + GUESS_WINDOW_MS - nowMs) / 1_000),
      )
    if (previous === undefined && counts.size >= ADDRESSES_MAX) counts.delete(counts.keys().next().value!)
    counts.set(address, { ...current, count: current.count + 1 })
  }

  function wrong(request: FastifyRequest, error?: string): Unauthorized {
    countWrong(addressKey(request.ip))
    onWrongToken(request)
    return error === undefined ? refused() : new Unauthorized(error)
  }

  function requireCaller(request: FastifyRequest, token: string): Caller {
    const caller = tokens.find(token)
    if (caller === undefined) throw wrong(request)
    request.tokenId = caller.tokenId
    return caller
  }

  /** A token takes precedence: then the cookie is not even looked at. */
  function identify(request: FastifyRequest): Readonly<{ caller: Caller; session?: ConsoleSession }> {
    const sent = tokenIn(request.headers)
    if (sent !== undefined) return { caller: requireCaller(request, sent) }
    const session = sessions?.find(request)
    if (session === undefined) throw refused()
    if (session === 'wrong') throw wrong(request)
    request.tokenId = session.caller.tokenId
    return { caller: session.caller, session }
  }

  return {
    identify,
    requireCaller,
    wrong,
    authenticate: (request, scopes) => {
      const { caller } = identify(request)
      assertScope(caller, scopes)
      return caller
    },
    callerWith: ({ headers }, scopes) => {
      const sent = tokenIn(headers)
      const caller = sent === undefined ? undefined : tokens.find(sent)
      return caller !== undefined && hasScope(caller, scopes) ? caller : undefined
    },
  }
}

/** The token that was sent, in its own header or as a bearer token; undefined for none. */
function tokenIn({ token, authorization }: IncomingHttpHeaders): string | undefined {
  const bearer = authorization === undefined ? undefined : /^bearer +(.*)$/i.exec(authorization)?.[1]
  if (token === undefined || token === bearer) return bearer
  // Two different tokens make a wrong one, as no token contains a comma; Node itself joins repeated headers with one.
  return bearer === undefined ? String(token) : `${token},${bearer}`
}

/** Missing, malformed, unknown, expired, revoked: always the same words (decision 60). */
function refused(): Unauthorized {
  return new Unauthorized('missing or invalid token')
}
