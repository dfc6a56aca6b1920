/*
 * Who calls, by the token of the request, and whether they may do this (decisions 60 to 64).
 */
import type { IncomingMessage } from 'node:http'
import { Unauthorized } from '../errors.ts'
import type { Scope } from '../ingest/scopes.ts'
import type { Caller, TokenCache } from '../operations/tokens/token-cache.ts'
import { TooManyGuesses } from './errors.ts'

const GUESSES_MAX = 100
const GUESS_WINDOW_MS = 60_000
/** Addresses remembered at a time; above that the oldest is forgotten. */
const ADDRESSES_MAX = 10_000

export type Authenticator = Readonly<{
  /** The caller of a request. Errors: Unauthorized, TooManyGuesses. `address` is the client's. */
  authenticate: (request: IncomingMessage, address: string, scope: Scope) => Caller
  /** Whether its token allows this; a wrong one is not counted. */
  isAllowed: (request: IncomingMessage, scope: Scope) => boolean
}>

/** Counts wrong tokens by address, and refuses more of them than a person would send. `onWrongToken` is called for each. */
export function createAuthenticator(tokens: TokenCache, now: () => Date, onWrongToken: () => void): Authenticator {
  const wrong = new Map<string, { count: number; since: number }>()

  function countWrong(address: string): void {
    const nowMs = now().getTime()
    const known = wrong.get(address)
    const current = known !== undefined && nowMs - known.since < GUESS_WINDOW_MS ? known : { count: 0, since: nowMs }
    if (current.count >= GUESSES_MAX)
      throw new TooManyGuesses(Math.ceil((current.since + GUESS_WINDOW_MS - nowMs) / 1_000))
    if (known === undefined && wrong.size >= ADDRESSES_MAX) wrong.delete(wrong.keys().next().value!)
    wrong.set(address, { ...current, count: current.count + 1 })
  }

  return {
    authenticate: (request, address, scope) => {
      // Sent twice, Node joins the two by a comma: no token has one, so that is a wrong token.
      const sent = request.headers.token
      if (sent === undefined) throw refused()
      const caller = tokens.find(String(sent))
      if (caller === undefined) {
        countWrong(address)
        onWrongToken()
        throw refused()
      }
      if (!allows(caller, scope)) throw new Unauthorized(`this token has not the scope ${scope}`)
      return caller
    },
    isAllowed: ({ headers: { token } }, scope) => {
      const caller = token === undefined ? undefined : tokens.find(String(token))
      return caller !== undefined && allows(caller, scope)
    },
  }
}

function allows({ scopes }: Caller, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin')
}

/** Missing, malformed, unknown, expired, revoked: always the same words (decision 63). */
function refused(): Unauthorized {
  return new Unauthorized('a valid token is required in the header token')
}
