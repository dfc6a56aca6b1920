import type { RejectedRecord } from '../../ingest/batch.ts'

const LENGTH_MAX = 100
const OTHER = 'other'

/**
 * Where a record was refused and why, without anything that was sent: `DOB` and `a date that exists, DD-MM-YYYY`. A sentence shows the value
 * behind `, got `, and some name an id; of those only the kind is kept.
 */
export function refusalKind({ path, error, verdict }: Pick<RejectedRecord, 'path' | 'error' | 'verdict'>): {
  field: string
  kind: string
} {
  // Fields that are unknown are not read, so this is one of ours.
  const field = path.replace(/^data\[\d+\]\.?/, '').replaceAll(/\[\d+\]/g, '')
  return { field: field.slice(0, LENGTH_MAX), kind: verdict ?? kindOf(error).slice(0, LENGTH_MAX) }
}

function kindOf(error: string): string {
  if (/^\S+ is required, got /.test(error)) return 'required'
  if (error.startsWith('there is no player ')) return 'unknown player'
  if (/^order .* belongs to another player$/s.test(error)) return 'of another player'
  if (/^adjustment .* is there with other content: /s.test(error)) return 'other content'
  return /^expected (.+?), got /s.exec(error)?.[1] ?? /^expected ([^"]+)$/.exec(error)?.[1] ?? OTHER
}
