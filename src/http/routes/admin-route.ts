import type { Route, RouteRequest } from '../route.ts'
import { ANSWERS, type Answer, type RouteName } from './answers.ts'

const BODY_BYTES_MAX = 512 * 1024
const TIMEOUT_MS = 10_000

type Options = Readonly<{
  /** Whether the request carries `data` in a body; what comes to others is thrown away. */
  takesBody?: boolean
  flags?: readonly string[]
  texts?: readonly string[]
  /** The field of the answer that has the rows of a page. */
  rows?: string
}>

/** A route for administrators: small bodies. `scopes` as a route has them. */
export function adminRoute<Name extends RouteName>(
  name: Name,
  scopes: Route['scopes'],
  { takesBody = false, flags = [], texts = [], rows }: Options,
  handle: (request: RouteRequest) => Promise<Answer<Name>>,
): Route {
  const [method = '', path = ''] = name.split(' ')
  return {
    methods: [method],
    path,
    scopes,
    ...(takesBody ? { body: { bytesMax: BODY_BYTES_MAX, timeoutMs: TIMEOUT_MS, bytesPerSecondMin: 0 } } : {}),
    flags,
    texts,
    timeoutMs: TIMEOUT_MS,
    answer: ANSWERS[name],
    ...(rows === undefined ? {} : { rows }),
    handle,
  }
}
