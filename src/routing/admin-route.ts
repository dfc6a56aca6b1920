import type { Static, TSchema } from 'typebox'
import { OBJECT_BODY } from './body-limits.ts'
import type { Description, Route, RouteRequest, SingleRoute } from './route.ts'

const TIMEOUT_MS = 10_000

type Options<Response> = Readonly<{
  /** The request has a body if `data` is described; any other body is discarded. */
  described: Description<Response>
  flags?: readonly string[]
  texts?: readonly string[]
  /** The field of the response that holds the rows of a page. */
  rows?: string
  /** As in a route. */
  assertHasRoom?: (tokenId: string) => Promise<void>
}>

/**
 * A route whose body, if any, is one small object, and that has 10 seconds to answer. `responses` are those of its resource, by method and path.
 * `scopes` as in a route.
 */
export function adminRoute<
  ResponseCounts extends Readonly<Record<string, TSchema>>,
  Name extends keyof ResponseCounts & string,
>(
  responses: ResponseCounts,
  name: Name,
  scopes: Route['scopes'],
  { described, flags = [], texts = [], rows, assertHasRoom }: Options<Static<ResponseCounts[Name]>>,
  handle: (request: RouteRequest) => Promise<Static<ResponseCounts[Name]>>,
): SingleRoute {
  const [method = '', path = ''] = name.split(' ')
  return {
    methods: [method],
    path,
    scopes,
    ...(described.data === undefined ? {} : { body: OBJECT_BODY }),
    flags,
    texts,
    timeoutMs: TIMEOUT_MS,
    response: responses[name]!,
    described,
    ...(rows === undefined ? {} : { rows }),
    ...(assertHasRoom === undefined ? {} : { assertHasRoom }),
    handle,
  }
}
