import type { Answer } from '../../src/server/answers.ts'

type Feed = Answer<'GET /api/admin/sources'>['sources'][number]

/** A feed is late when it has been silent for this many of its usual gaps, and for at least this long. */
const LATE_GAPS = 3
const LATE_MS = 5 * 60_000

/** Whether a feed has been silent for longer than usual. Undefined if the usual gap is not known yet. */
export function isLate(
  { last_good_at, usual_gap_ms }: Pick<Feed, 'last_good_at' | 'usual_gap_ms'>,
  nowMs: number,
): boolean | undefined {
  if (last_good_at === null || usual_gap_ms === null) return undefined
  return nowMs - Date.parse(last_good_at) > lateAfterMs(usual_gap_ms)
}

export function lateAfterMs(usualGapMs: number): number {
  return Math.max(LATE_MS, LATE_GAPS * usualGapMs)
}
