import type { RouteResponse } from '../../src/server/responses.ts'

type Feed = RouteResponse<'GET /api/admin/sources'>['sources'][number]

/** A feed is overdue when it has been silent for this many of its usual gaps, and for at least this long. */
const OVERDUE_GAPS = 3
const OVERDUE_MS = 5 * 60_000

/** Whether a feed has been silent for longer than usual. Undefined if the usual gap is not known yet. */
export function isOverdue(
  { last_good_at, usual_gap_ms }: Pick<Feed, 'last_good_at' | 'usual_gap_ms'>,
  nowMs: number,
): boolean | undefined {
  if (last_good_at === null || usual_gap_ms === null) return undefined
  return nowMs - Date.parse(last_good_at) > overdueAfterMs(usual_gap_ms)
}

export function overdueAfterMs(usualGapMs: number): number {
  return Math.max(OVERDUE_MS, OVERDUE_GAPS * usualGapMs)
}
