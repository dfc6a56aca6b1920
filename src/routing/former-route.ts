import type { Static, TSchema } from 'typebox'
import type { SingleRoute } from './route.ts'

/** Since when the routes of this file are deprecated: 2026-11-27, as the header `Deprecation` says it (RFC 9745). */
const DEPRECATED_SINCE = '@1795737600'

type Former<Today, Then> = Readonly<{
  operationId: string
  /** The field of the former answer that holds the rows of a page. */
  rows: string
  /** The former answer, made of today's. */
  responseOf: (response: Today) => Then
}>

/**
 * A route under its former name, which works until it is removed (decision 219): the same request and work, the response in its former fields, and the
 * header `Deprecation`. `responses` are those of its resource, by method and path. Parameters in the paths are the same ones in order, whatever their names.
 */
export function formerRoute<
  ResponseCounts extends Readonly<Record<string, TSchema>>,
  Name extends keyof ResponseCounts & string,
  Today,
>(
  route: SingleRoute,
  responses: ResponseCounts,
  name: Name,
  { operationId, rows, responseOf }: Former<Today, Static<ResponseCounts[Name]>>,
): SingleRoute {
  const [, path = ''] = name.split(' ')
  const [names, formerNames] = [parametersIn(route.path), parametersIn(path)]
  const { described, headers } = route
  return {
    ...route,
    path,
    successor: route.path,
    headers: { ...headers, deprecation: DEPRECATED_SINCE },
    response: responses[name]!,
    rows,
    described: {
      ...described,
      operationId,
      example: { ...described.example, response: responseOf(described.example.response as Today) },
    },
    handle: async (request) => {
      const params = Object.fromEntries(names.map((one, place) => [one, request.params[formerNames[place]!]!]))
      return responseOf((await route.handle({ ...request, params })) as Today)
    },
  }
}

function parametersIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
}
