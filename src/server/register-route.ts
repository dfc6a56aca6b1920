import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ClientGone, NotFound } from '../errors.ts'
import type { Route } from '../routing/route.ts'
import type { Authenticator } from './authenticator.ts'
import { hasBody, readJsonBody, readListBody } from './body/body.ts'
import type { ReservationFor } from './body/body-budget.ts'
import { dataOf, listOf } from './body/envelope.ts'
import { checkMediaType } from './body/media-type.ts'
import { MethodNotAllowed } from './error-replies.ts'
import { sendPage } from './page-formats.ts'
import { readParameters } from './parameters.ts'

/** Registers one of our routes with the server: caller, headers, parameters and body are checked in the order of decision 2. */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  authenticator: Authenticator,
  reservationFor: ReservationFor,
): void {
  const { flags, texts = [], methods } = route
  const headers = { 'cache-control': 'no-store', ...route.headers }
  const takesBody = route.list !== undefined || route.body !== undefined
  app.route({
    method: [...methods],
    url: route.path,
    config: { takesBody },
    handler: async (request, reply) => {
      reply.headers(headers)
      // Before any of the body is read: the token, then the media type, then the parameters.
      const caller = authenticator.authenticate(request, route.scopes)
      if (takesBody && hasBody(request.raw)) checkMediaType(request.headers)
      const parameters = readParameters(request.query as Record<string, unknown>, {
        flags,
        texts,
        data: route.described.data,
      })
      const params = request.params as Record<string, string>
      const isAbandoned = () => reply.raw.destroyed || request.raw.socket.destroyed
      const head = { caller, ...parameters, params, requestId: request.id, isAbandoned }
      const client = { token: caller.tokenId, address: request.ip }
      if (route.list !== undefined) {
        const listIn = (body: unknown) => listOf(body, methods)
        const { records, ended } = readListBody(request.raw, route.list, reservationFor(reply.raw, client), listIn)
        return responseAtEnd(ended, route.handle({ ...head, records }))
      }
      // Most routes have none, and do not wait.
      if (route.assertHasRoom !== undefined) await route.assertHasRoom(caller.tokenId)
      const reservation = reservationFor(reply.raw, client, route.timeoutMs)
      const data =
        route.body === undefined ? undefined : dataOf(await readJsonBody(request.raw, route.body, reservation), methods)
      // A text with NUL cannot be sent to PostgreSQL, and no stored name has one.
      if (Object.values(params).some((param) => param.includes('\0'))) throw new NotFound('not found')
      if (isAbandoned()) throw new ClientGone('client disconnected before processing')
      const deadlineAt = performance.now() + route.timeoutMs - reservation.waitedMs()
      const response = await route.handle({ ...head, data, deadlineAt })
      return route.rows === undefined ? response : sendPage(reply, response, route.rows, route.response)
    },
  })
}

/**
 * The error for a request that no route takes: 405 if its path takes other methods, else 404 (decision 4). `paths` are those of all routes.
 * Computed only then: registering a route for every method of HTTP would take most of the time that it takes to build the server.
 */
export function refusalFor(app: FastifyInstance, paths: readonly string[]): (request: FastifyRequest) => Error {
  const patterns = paths.map((url) => ({ url, pattern: patternOf(url) }))
  return ({ method, url: sent }) => {
    const path = sent.replace(/[?#].*$/s, '').replace(/\/{2,}/g, '/')
    // A path may match several: `players/search` is `players/:user_id` for another method.
    const matches = patterns.filter(({ pattern }) => pattern.test(path))
    if (matches.length === 0) return new NotFound('not found')
    const allow = app.supportedMethods
      .filter((one) => matches.some(({ url }) => app.hasRoute({ method: one, url })))
      .sort()
    return new MethodNotAllowed(method, allow)
  }
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}

/** The response of a list route, once its body has ended: an error of the body takes precedence over what was found in it. */
async function responseAtEnd(ended: Promise<void>, answered: Promise<unknown>): Promise<unknown> {
  answered.catch(() => undefined)
  await ended
  return answered
}
