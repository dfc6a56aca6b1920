import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'

/** `laurel session end`: its browser has to sign in again. */
export async function sessionEnd(id: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { ended } = await client.call('DELETE /api/admin/sessions/:id', { params: { id } })
    if (json) return printJson({ ended })
    process.stdout.write(`session ${ended} has ended; every service refuses it within a second\n`)
  })
}
