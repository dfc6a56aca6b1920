import { withClient } from '../client.ts'

/** `laurel token revoke`: twice is no error. */
export async function tokenRevoke(id: string, { url }: { url?: string }): Promise<void> {
  await withClient(url, async (client) => {
    await client.call('POST /api/admin/tokens/:id/revoke', { params: { id } })
    process.stdout.write(`token ${id} is revoked; every service refuses it within a second\n`)
  })
}
