import { escapeControls } from '../../shared/text.ts'
import { type Client, withClient } from '../client.ts'
import { confirm } from '../input/confirm.ts'
import { printJson } from '../output/print.ts'

export type TokenRevokeOptions = Readonly<{ url?: string; json?: true; yes?: true }>

/** `laurel token revoke`: revoking twice is no error. Asks before revoking the last token that can create others. */
export async function tokenRevoke(id: string, { url, json, yes }: TokenRevokeOptions): Promise<void> {
  await withClient(url, async (client) => {
    if (await isLastAdmin(client, id))
      await confirm(
        `Token ${escapeControls(id)} is the last one with the scope admin: without it nobody can create another over HTTP.`,
        yes === true,
      )
    const revoked = await client.call('POST /api/admin/tokens/:id/revoke', { params: { id } })
    if (json) return printJson(revoked)
    process.stdout.write(`token ${id} is revoked; every service refuses it within a second\n`)
  })
}

async function isLastAdmin(client: Client, id: string): Promise<boolean> {
  const { tokens } = await client.call('GET /api/admin/tokens')
  const now = new Date().toISOString()
  const admins = tokens.filter(
    ({ scopes, revoked_at, expires_at }) =>
      scopes.includes('admin') && revoked_at === null && (expires_at === null || expires_at > now),
  )
  return admins.length === 1 && admins[0]!.id === id
}
