import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { table } from '../output/table.ts'

/** `laurel job list`: the jobs of the service, newest first. */
export async function jobList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { jobs } = await client.call('GET /api/admin/jobs')
    if (json) return printJson(jobs)
    if (jobs.length === 0) return void process.stdout.write('There are no jobs.\n')
    const rows = jobs.map(({ id, kind, state, asked_at, progress, error }) => [
      ...[id, kind, state, asked_at],
      error ?? progress.map(({ of, done, total }) => `${done}${total === null ? '' : ` of ${total}`} ${of}`).join(', '),
    ])
    process.stdout.write(table(['id', 'kind', 'state', 'asked', 'how far'], rows))
  })
}
