import type { RejectedRecord } from '../../ingest/batch.ts'

const LENGTH_MAX = 100
const OTHER = 'other'

/**
 * The field and kind of a refusal, without any of the data sent: `DOB` and `a date that exists, DD-MM-YYYY`. Error sentences show the offending
 * value after `, got `, and some name an id; only their kind is kept.
 */
export function refusalKind({ path, error, verdict }: Pick<RejectedRecord, 'path' | 'error' | 'verdict'>): {
  field: string
  kind: string
} {
  // Unknown fields are not read, so this name is one of ours.
  const field = path.replace(/^data\[\d+\]\.?/, '').replaceAll(/\[\d+\]/g, '')
  return { field: field.slice(0, LENGTH_MAX), kind: verdict ?? kindOf(error).slice(0, LENGTH_MAX) }
}

function kindOf(error: string): string {
  if (/^\S+ is required, got /.test(error)) return 'required'
  if (error.startsWith('there is no player ')) return 'unknown player'
  if (/^order .* belongs to another player$/s.test(error)) return 'of another player'
  if (/^adjustment .* already exists with different content: /s.test(error)) return 'other content'
  return /^expected (.+?), got /s.exec(error)?.[1] ?? /^expected ([^"]+)$/.exec(error)?.[1] ?? OTHER
}
