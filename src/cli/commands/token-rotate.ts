import { withClient } from '../client.ts'
import { showIssuedToken } from '../output/issued-token.ts'

/** `laurel token rotate`: the new token is shown as by `token create`. */
export async function tokenRotate(id: string, { url }: { url?: string }): Promise<void> {
  await withClient(url, async (client) => {
    showIssuedToken(await client.call('POST /api/admin/tokens/:id/rotate', { params: { id } }))
  })
}
