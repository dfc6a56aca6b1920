import type { Command } from 'commander'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { noteLine, printJson, printText, table } from '../output/print.ts'

export function defineActs(command: Command): void {
  command
    .option(...URL_OPTION)
    .option('--by <token>', 'only entries by this token: its name or ID')
    .option('--act <kind>', 'only entries of this kind, like player-revealed')
    .option('--limit <rows>', 'maximum rows per page, at most 500 (default: 50)')
    .option('--after <cursor>', 'continue after the previous page')
    .option('--json', 'as JSON')
    .action(actsList)
}

type ActsQuery = Readonly<{ by?: string; act?: string; limit?: string; after?: string }>

/** `laurel acts`: what people did, newest first; `by` is the name or the id of a token, `act` the kind of act. */
async function actsList({ url, json, ...query }: ActsQuery & { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const page = await client.call('GET /api/admin/acts', { query })
    if (json) return printJson(page)
    if (page.acts.length === 0 && query.by !== undefined)
      noteLine`no entries by ${query.by}: npx --no laurel token list shows names and IDs`
    const rows = page.acts.map(({ at, by, name, act, subject, detail }) => [
      at,
      name ?? by,
      act,
      subject,
      JSON.stringify(detail),
    ])
    printText(table(['at', 'by', 'action', 'target', 'detail'], rows))
    if (page.after !== null) noteLine`more with --after ${page.after}`
  })
}
