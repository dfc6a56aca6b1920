import { withClient } from '../client.ts'
import { expiryOf } from '../input/expiry.ts'
import { showIssuedToken } from '../output/issued-token.ts'

export type TokenCreateOptions = Readonly<{ url?: string; scope: readonly string[]; expires?: string; json?: true }>

/** `laurel token create`: scopes may be given one by one, or with commas between them. */
export async function tokenCreate(name: string, { url, scope, expires, json }: TokenCreateOptions): Promise<void> {
  const scopes = scope.flatMap((one) => one.split(','))
  const data = { name, scopes, expires_at: expires === undefined ? undefined : expiryOf('--expires', expires) }
  await withClient(url, async (client) => {
    showIssuedToken(await client.call('POST /api/admin/tokens', { data }), json)
  })
}
