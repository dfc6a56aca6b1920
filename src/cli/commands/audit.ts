import type { Command } from 'commander'
import type { RouteResponse } from '../../server/responses.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { noteLine, printJson, printText, table } from '../output/print.ts'

type AuditLogRoute = 'GET /api/admin/audit-log' | 'GET /api/admin/acts'
type AuditLogPage = RouteResponse<'GET /api/admin/audit-log'>

export function defineAudit(command: Command): void {
  defineAuditLog(command, 'GET /api/admin/audit-log', (page) => page)
}

/** The options and the action of `laurel audit`, and of `laurel acts`, its former name: the JSON is the response of the route. */
export function defineAuditLog<Route extends AuditLogRoute>(
  command: Command,
  route: Route,
  pageOf: (response: RouteResponse<Route>) => AuditLogPage,
): void {
  command
    .option(...URL_OPTION)
    .option('--by <token>', 'only entries by this token: its name or ID')
    .option('--act <kind>', 'only entries of this kind, like player-revealed')
    .option('--limit <rows>', 'maximum rows per page, at most 500 (default: 50)')
    .option('--after <cursor>', 'continue after the previous page')
    .option('--json', 'as JSON')
    .action((options: AuditOptions) => printAuditLog(options, route, pageOf))
}

type AuditQuery = Readonly<{ by?: string; act?: string; limit?: string; after?: string }>
type AuditOptions = AuditQuery & Readonly<{ url?: string; json?: true }>

/** What people did, newest first; `by` is the name or the id of a token, `act` the kind of act. */
async function printAuditLog<Route extends AuditLogRoute>(
  { url, json, ...query }: AuditOptions,
  route: Route,
  pageOf: (response: RouteResponse<Route>) => AuditLogPage,
): Promise<void> {
  await withClient(url, async (client) => {
    const response = await client.call(route, { query })
    if (json) return printJson(response)
    const { entries, after } = pageOf(response)
    if (entries.length === 0 && query.by !== undefined)
      noteLine`no entries by ${query.by}: npx --no laurel token list shows names and IDs`
    const rows = entries.map(({ at, by, name, act, subject, detail }) => [
      at,
      name ?? by,
      act,
      subject,
      JSON.stringify(detail),
    ])
    printText(table(['at', 'by', 'action', 'target', 'detail'], rows))
    if (after !== null) noteLine`more with --after ${after}`
  })
}
