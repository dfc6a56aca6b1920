import type { Asked, Route } from '../route.ts'

const BODY_BYTES_MAX = 512 * 1024
const TIMEOUT_MS = 10_000

type Parts = Readonly<{ hasBody?: boolean; flags?: readonly string[]; texts?: readonly string[] }>

/** An extension for administrators: scope `admin`, small bodies. Only the creation of something has a body, unless it is said. */
export function adminRoute(
  method: 'GET' | 'POST',
  path: string,
  handle: (asked: Asked) => Promise<unknown>,
  { hasBody = method === 'POST' && !path.includes(':'), flags = [], texts = [] }: Parts = {},
): Route {
  return {
    methods: [method],
    path,
    scope: 'admin',
    ...(hasBody ? { body: { bytesMax: BODY_BYTES_MAX, timeoutMs: TIMEOUT_MS, bytesPerSecondMin: 0 } } : {}),
    flags,
    texts,
    timeoutMs: TIMEOUT_MS,
    handle,
  }
}
