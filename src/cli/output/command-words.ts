/*
 * Values as they are typed in a command.
 */
import type { RouteResponse } from '../../server/responses.ts'
import { escapeControls } from '../../text.ts'

/** The value of a setting of the shop, in the form that `settings set` takes. */
export function settingText(value: RouteResponse<'GET /api/admin/settings'>['settings'][number]['value']): string {
  if (value === null || value.length === 0) return '(none)'
  return escapeControls(typeof value === 'string' ? value : value.join(','))
}

/** A text quoted as one word for a shell. */
export function shellWord(text: string): string {
  return /^[\w.,:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
