import { withClient } from '../client.ts'
import { showIssuedToken } from '../output/issued-token.ts'

export type TokenCreateOptions = Readonly<{ url?: string; scope: readonly string[]; expires?: string }>

/** `laurel token create`: scopes may be given one by one, or with commas between them. */
export async function tokenCreate(name: string, { url, scope, expires }: TokenCreateOptions): Promise<void> {
  await withClient(url, async (client) => {
    const scopes = scope.flatMap((one) => one.split(','))
    showIssuedToken(await client.call('POST /api/admin/tokens', { data: { name, scopes, expires_at: expires } }))
  })
}
