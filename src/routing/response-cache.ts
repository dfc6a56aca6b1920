/*
 * Answers that are the same for every caller, computed once and shared for a few seconds.
 */
import type { RouteRequest } from './route.ts'

const KEPT_MS = 5_000
const RESPONSES_MAX = 100
/** A larger answer is shared by the requests that arrive while it is computed, but not cached. */
const KEPT_ROWS_MAX = 2_000

type Handle<Response> = (request: RouteRequest) => Promise<Response>

/**
 * Caches the responses of a route by their parameters: for 5 seconds, at most 100 of them, never a failure. `rowsOf` counts the rows of an
 * answer.
 */
export function cachedResponses<Response>(
  now: () => Date,
  rowsOf: (response: Response) => number,
  handle: Handle<Response>,
): Handle<Response> {
  const kept = new Map<string, { madeAt: number; response: Promise<Response> }>()
  return (request) => {
    const name = JSON.stringify([Object.entries(request.texts).sort(), Object.entries(request.flags).sort()])
    const cached = kept.get(name)
    if (cached !== undefined && Math.abs(now().getTime() - cached.madeAt) < KEPT_MS) return cached.response
    const made = { madeAt: now().getTime(), response: handle(request) }
    const forget = () => {
      if (kept.get(name) === made) kept.delete(name)
    }
    kept.delete(name)
    kept.set(name, made)
    if (kept.size > RESPONSES_MAX) kept.delete(kept.keys().next().value!)
    made.response.then((response) => rowsOf(response) > KEPT_ROWS_MAX && forget(), forget)
    return made.response
  }
}
