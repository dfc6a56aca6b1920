import { escapeControlsInLines } from '../../../text.ts'
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

/** `laurel program show`: a version's file as it was published, so that `laurel program show > program.yaml` is a file to start from. */
export async function programShow(version = 'current', { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const shown = await client.call('GET /api/admin/programs/:version', { params: { version } })
    if (json) return printJson(shown)
    const { source } = shown
    // A file or a pipe gets it byte for byte.
    process.stdout.write(process.stdout.isTTY ? escapeControlsInLines(source) : source)
  })
}

/** `laurel program withdraw`: takes back a version before it takes effect. */
export async function programWithdraw(version: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const withdrawn = await client.call('POST /api/admin/programs/:version/withdraw', { params: { version } })
    if (json) return printJson(withdrawn)
    process.stdout.write(`version ${version} is withdrawn and will not take effect\n`)
  })
}
