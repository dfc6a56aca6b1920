import { withClient } from '../../client.ts'
import { printJson } from '../../output/print.ts'
import { table } from '../../output/table.ts'

/** `laurel program list`: every version, with a mark on the one in effect and on those that were withdrawn. */
export async function programList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { programs } = await client.call('GET /api/admin/programs')
    if (json) return printJson(programs)
    const rows = programs.map((program) => [
      String(program.version),
      program.name,
      program.holds_from === '-infinity' ? 'always' : program.holds_from,
      program.withdrawn_at !== null ? 'withdrawn' : program.holds_now ? 'in effect' : '',
      program.publisher,
      program.published_at,
      program.note,
    ])
    process.stdout.write(table(['version', 'name', 'in effect from', '', 'publisher', 'published', 'note'], rows))
  })
}
