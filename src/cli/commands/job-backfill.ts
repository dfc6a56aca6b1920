import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'

/** `laurel job backfill`: resumes counting entries from before statistics were kept. */
export async function jobBackfill({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const job = await client.call('POST /api/admin/jobs', { data: { kind: 'backfill' } })
    if (json) return printJson(job)
    process.stdout.write(`job ${job.id} counts them: laurel job list shows how far it is\n`)
  })
}
