import { readDurationMs } from '../../engine/points/calendar.ts'
import { OperatorError } from '../../errors.ts'

/** When something expires, as a moment (RFC 3339): a moment is passed on, a duration like `30d` is counted from now. Errors: OperatorError. */
export function expiryOf(option: string, text: string): string {
  const durationMs = readDurationMs(text)
  if (durationMs !== undefined) return new Date(Date.now() + durationMs).toISOString()
  if (/^\d{4}-/.test(text)) return text
  throw new OperatorError(
    `${option} is "${text}", expected a time like 30d, 24h or 2w, or a moment like 2027-01-31T00:00:00Z`,
  )
}
