import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { table } from '../output/table.ts'

export type ActsOptions = Readonly<{ url?: string; limit?: string; after?: string; json?: true }>

/** `laurel acts`: what people did, newest first. */
export async function actsList({ url, limit, after, json }: ActsOptions): Promise<void> {
  await withClient(url, async (client) => {
    const query = { ...(limit === undefined ? {} : { limit }), ...(after === undefined ? {} : { after }) }
    const page = await client.call('GET /api/admin/acts', { query })
    if (json) return printJson(page)
    const rows = page.acts.map(({ at, by, name, act, subject, detail }) => [
      at,
      name ?? by,
      act,
      subject,
      JSON.stringify(detail),
    ])
    process.stdout.write(table(['at', 'by', 'act', 'on', 'detail'], rows))
    if (page.after !== null) process.stderr.write(`more with --after ${page.after}\n`)
  })
}
