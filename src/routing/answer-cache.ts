/*
 * Answers that are the same for every caller, computed once and shared for a few seconds.
 */
import type { RouteRequest } from './route.ts'

const KEPT_MS = 5_000
const ANSWERS_MAX = 100
/** A larger answer is shared by the requests that arrive while it is computed, but not cached. */
const KEPT_ROWS_MAX = 2_000

type Handle<Answer> = (request: RouteRequest) => Promise<Answer>

/**
 * Caches the answers of a route by their parameters: for 5 seconds, at most 100 of them, never a failure. `rowsOf` counts the rows of an
 * answer.
 */
export function cachedAnswers<Answer>(
  now: () => Date,
  rowsOf: (answer: Answer) => number,
  handle: Handle<Answer>,
): Handle<Answer> {
  const kept = new Map<string, { madeAt: number; answer: Promise<Answer> }>()
  return (request) => {
    const name = JSON.stringify([Object.entries(request.texts).sort(), Object.entries(request.flags).sort()])
    const known = kept.get(name)
    if (known !== undefined && Math.abs(now().getTime() - known.madeAt) < KEPT_MS) return known.answer
    const made = { madeAt: now().getTime(), answer: handle(request) }
    const forget = () => {
      if (kept.get(name) === made) kept.delete(name)
    }
    kept.delete(name)
    kept.set(name, made)
    if (kept.size > ANSWERS_MAX) kept.delete(kept.keys().next().value!)
    made.answer.then((answer) => rowsOf(answer) > KEPT_ROWS_MAX && forget(), forget)
    return made.answer
  }
}
