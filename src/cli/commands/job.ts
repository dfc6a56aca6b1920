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

/** `laurel job cancel`: a waiting job ends at once, a running one within a second. */
export async function jobCancel(id: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const job = await client.call('POST /api/admin/jobs/:id/cancel', { params: { id } })
    if (json) return printJson(job)
    const outcome = job.state === 'running' ? 'ends within a second' : `is ${job.state}`
    process.stdout.write(`job ${job.id} (${job.kind}) ${outcome}\n`)
  })
}

/** `laurel job backfill`: resumes counting entries from before statistics were kept. */
export async function jobBackfill({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const job = await client.call('POST /api/admin/jobs', { data: { kind: 'backfill' } })
    if (json) return printJson(job)
    process.stdout.write(`job ${job.id} counts them: laurel job list shows how far it is\n`)
  })
}
