import type { Asked, Route } from '../route.ts'

const BODY_BYTES_MAX = 512 * 1024
const TIMEOUT_MS = 10_000

/** An extension for administrators: scope `admin`, small bodies, no parameters. Only the creation of something has a body. */
export function adminRoute(method: 'GET' | 'POST', path: string, handle: (asked: Asked) => Promise<unknown>): Route {
  const hasBody = method === 'POST' && !path.includes(':')
  return {
    methods: [method],
    path,
    scope: 'admin',
    ...(hasBody ? { body: { bytesMax: BODY_BYTES_MAX, timeoutMs: TIMEOUT_MS, bytesPerSecondMin: 0 } } : {}),
    flags: [],
    timeoutMs: TIMEOUT_MS,
    handle,
  }
}
