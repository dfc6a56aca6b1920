import { withClient } from '../client.ts'
import { showIssuedToken } from '../output/issued-token.ts'

export type TokenRotateOptions = Readonly<{ url?: string; json?: true; overlap?: string }>

/** `laurel token rotate`: the new token is shown as `token create` shows it. */
export async function tokenRotate(id: string, { url, json, overlap }: TokenRotateOptions): Promise<void> {
  await withClient(url, async (client) => {
    const query = overlap === undefined ? {} : { overlap }
    showIssuedToken(await client.call('POST /api/admin/tokens/:id/rotate', { params: { id }, query }), json)
  })
}
