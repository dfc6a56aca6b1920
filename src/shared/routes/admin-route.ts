import { ANSWERS, type Answer, type RouteName } from '../../server/answers.ts'
import type { BodyLimits, Description, Route, RouteRequest } from './route.ts'

const TIMEOUT_MS = 10_000
const BODY: BodyLimits = { bytesMax: 512 * 1024, timeoutMs: TIMEOUT_MS, bytesPerSecondMin: 0 }

type Options<Name extends RouteName> = Readonly<{
  /** The request has a body if `data` is described; any other body is discarded. */
  described: Description<Answer<Name>>
  flags?: readonly string[]
  texts?: readonly string[]
  /** The field of the answer that holds the rows of a page. */
  rows?: string
}>

/** A route whose body, if any, is one small object, and that has 10 seconds to answer. `scopes` as in a route. */
export function adminRoute<Name extends RouteName>(
  name: Name,
  scopes: Route['scopes'],
  { described, flags = [], texts = [], rows }: Options<Name>,
  handle: (request: RouteRequest) => Promise<Answer<Name>>,
): Route {
  const [method = '', path = ''] = name.split(' ')
  return {
    methods: [method],
    path,
    scopes,
    ...(described.data === undefined ? {} : { body: BODY }),
    flags,
    texts,
    timeoutMs: TIMEOUT_MS,
    answer: ANSWERS[name],
    described,
    ...(rows === undefined ? {} : { rows }),
    handle,
  }
}
