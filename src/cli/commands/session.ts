import type { Command } from 'commander'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { printJson, printLine, printText, table } from '../output/print.ts'

export function defineSession(session: Command): void {
  session
    .command('list')
    .description('list active sessions')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(sessionList)
  session
    .command('end <id>')
    .description('end a session: its browser has to sign in again')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(sessionEnd)
}

/** `laurel session list`: who is signed in to the console. */
async function sessionList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { sessions } = await client.call('GET /api/admin/sessions')
    if (json) return printJson(sessions)
    const rows = sessions.map(({ id, name, token_id, browser, created_at, last_used_at, expires_at }) => [
      id,
      name ?? token_id,
      browser,
      created_at,
      last_used_at,
      expires_at,
    ])
    printText(table(['id', 'name', 'browser', 'since', 'last used', 'expires'], rows))
  })
}

/** `laurel session end`: its browser has to sign in again. */
async function sessionEnd(id: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { ended } = await client.call('DELETE /api/admin/sessions/:id', { params: { id } })
    if (json) return printJson({ ended })
    printLine`session ${ended} has ended; every service refuses it within a second`
  })
}
