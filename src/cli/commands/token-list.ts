import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { table } from '../output/table.ts'

/** `laurel token list`: every token with its id, never its secret text. */
export async function tokenList({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { tokens } = await client.call('GET /api/admin/tokens')
    if (json) return printJson(tokens)
    const rows = tokens.map(({ id, name, scopes, created_at, expires_at, revoked_at, last_used_at }) => [
      id,
      name,
      scopes.join(','),
      created_at,
      last_used_at === null ? 'never' : last_used_at.replace(/:00:00\.000Z$/, 'h'),
      revoked_at !== null ? `revoked ${revoked_at}` : expires_at !== null ? `until ${expires_at}` : 'good',
    ])
    process.stdout.write(table(['id', 'name', 'scopes', 'created', 'last used', 'state'], rows))
  })
}
