import type { Client } from '../client.ts'
import { table } from '../output/table.ts'

type Issued = { id: string; token: string; name: string; scopes: string[]; expires_at: string | null }
type Listed = {
  id: string
  name: string
  scopes: string[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

/** `laurel token create`: the text of the token goes to standard output alone, so that a script can take it; the rest to standard error. */
export async function tokenCreate(
  client: Client,
  wish: { name: string; scopes: string[]; expiresAt?: string | undefined },
): Promise<void> {
  const issued = (await client.call('POST', '/api/admin/tokens', {
    name: wish.name,
    scopes: wish.scopes,
    expires_at: wish.expiresAt,
  })) as Issued
  showIssued(issued)
}

export async function tokenRotate(client: Client, id: string): Promise<void> {
  showIssued((await client.call('POST', `/api/admin/tokens/${encodeURIComponent(id)}/rotate`)) as Issued)
}

export async function tokenRevoke(client: Client, id: string): Promise<void> {
  await client.call('POST', `/api/admin/tokens/${encodeURIComponent(id)}/revoke`)
  process.stdout.write(`token ${id} is revoked; every service refuses it within a second\n`)
}

export async function tokenList(client: Client, json: boolean): Promise<void> {
  const { tokens } = (await client.call('GET', '/api/admin/tokens')) as { tokens: Listed[] }
  if (json) {
    process.stdout.write(`${JSON.stringify(tokens, null, 2)}\n`)
    return
  }
  const rows = tokens.map(({ id, name, scopes, created_at, expires_at, revoked_at }) => [
    id,
    name,
    scopes.join(','),
    created_at,
    revoked_at !== null ? `revoked ${revoked_at}` : expires_at !== null ? `until ${expires_at}` : 'good',
  ])
  process.stdout.write(table(['id', 'name', 'scopes', 'created', 'state'], rows))
}

function showIssued({ id, token, name, scopes, expires_at }: Issued): void {
  process.stderr.write(
    `token ${id} (${name}) for ${scopes.join(', ')}, ${expires_at === null ? 'without end' : `until ${expires_at}`}; it is shown only now:\n`,
  )
  process.stdout.write(`${token}\n`)
}
