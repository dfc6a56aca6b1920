import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { table } from '../output/table.ts'

/** `laurel program list`: every version, with a mark on the one that holds now and on those that were withdrawn. */
export async function programList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { programs } = await client.call('GET /api/admin/programs')
    if (json) return printJson(programs)
    const rows = programs.map((program) => [
      String(program.version),
      program.name,
      program.holds_from === '-infinity' ? 'always' : program.holds_from,
      program.withdrawn_at !== null ? 'withdrawn' : program.holds_now ? 'holds now' : '',
      program.publisher,
      program.published_at,
      program.note,
    ])
    process.stdout.write(table(['version', 'name', 'holds from', '', 'publisher', 'published', 'note'], rows))
  })
}
