import type { Answer } from '../../server/answers.ts'
import { escapeControls } from '../../text.ts'
import { printJson } from './print.ts'

/** Shows a new token: its text alone on standard output, so that a script can capture it; the rest on standard error. */
export function showIssuedToken(issued: Answer<'POST /api/admin/tokens'>, json?: true): void {
  if (json) {
    printJson(issued)
    return
  }
  const { id, token, name, scopes, expires_at } = issued
  process.stderr.write(
    `token ${id} (${escapeControls(name)}) for ${scopes.join(', ')}, ${expires_at === null ? 'without expiry' : `until ${expires_at}`}; it is shown only now:\n`,
  )
  process.stdout.write(`${token}\n`)
}
