import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'

/** `laurel job cancel`: a waiting job ends at once, a running one within a second. */
export async function jobCancel(id: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const job = await client.call('POST /api/admin/jobs/:id/cancel', { params: { id } })
    if (json) return printJson(job)
    const outcome = job.state === 'running' ? 'ends within a second' : `is ${job.state}`
    process.stdout.write(`job ${job.id} (${job.kind}) ${outcome}\n`)
  })
}
