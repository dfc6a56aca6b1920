import type { Command } from 'commander'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { printJson, printLine, printText, table } from '../output/print.ts'

export function defineJob(job: Command): void {
  job
    .command('list')
    .description('list jobs: waiting, running or ended within a week')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(jobList)
  job
    .command('cancel <id>')
    .description('cancel a waiting or running job')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(jobCancel)
  job
    .command('backfill')
    .description('resume the backfill of statistics after a cancellation; otherwise it starts automatically')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(jobBackfill)
}

/** `laurel job list`: the jobs of the service, newest first. */
async function jobList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { jobs } = await client.call('GET /api/admin/jobs')
    if (json) return printJson(jobs)
    if (jobs.length === 0) return printLine`There are no jobs.`
    const rows = jobs.map(({ id, kind, state, asked_at, progress, error }) => [
      ...[id, kind, state, asked_at],
      error ?? progress.map(({ of, done, total }) => `${done}${total === null ? '' : ` of ${total}`} ${of}`).join(', '),
    ])
    printText(table(['id', 'kind', 'state', 'requested', 'progress'], rows))
  })
}

/** `laurel job cancel`: a waiting job ends at once, a running one within a second. */
async function jobCancel(id: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const job = await client.call('POST /api/admin/jobs/:id/cancel', { params: { id } })
    if (json) return printJson(job)
    const outcome = job.state === 'running' ? 'ends within a second' : `is ${job.state}`
    printLine`job ${job.id} (${job.kind}) ${outcome}`
  })
}

/** `laurel job backfill`: resumes counting entries from before statistics were kept. */
async function jobBackfill({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const job = await client.call('POST /api/admin/jobs', { data: { kind: 'backfill' } })
    if (json) return printJson(job)
    printLine`job ${job.id} runs the backfill: npx --no laurel job list shows its progress`
  })
}
