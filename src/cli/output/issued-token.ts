import type { Answer } from '../../http/routes/answers.ts'
import { escapeControls } from '../../operations/reports/text.ts'

/** Shows a token that was just made: its text on standard output alone, so that a script can take it; the rest on standard error. */
export function showIssuedToken({ id, token, name, scopes, expires_at }: Answer<'POST /api/admin/tokens'>): void {
  process.stderr.write(
    `token ${id} (${escapeControls(name)}) for ${scopes.join(', ')}, ${expires_at === null ? 'without end' : `until ${expires_at}`}; it is shown only now:\n`,
  )
  process.stdout.write(`${token}\n`)
}
