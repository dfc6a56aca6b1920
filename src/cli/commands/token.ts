import { OperatorError } from '../../errors.ts'
import { ROLES, type Role } from '../../shared/scopes.ts'
import { withClient } from '../client.ts'
import { expiryOf } from '../input/expiry.ts'
import { showIssuedToken } from '../output/issued-token.ts'

export type TokenCreateOptions = Readonly<{
  url?: string
  scope?: readonly string[]
  role?: Role
  expires?: string
  json?: true
}>

/** `laurel token create`: scopes may be given one by one, or with commas between them, or as a role. */
export async function tokenCreate(
  name: string,
  { url, scope, role, expires, json }: TokenCreateOptions,
): Promise<void> {
  const scopes = role === undefined ? scope?.flatMap((one) => one.split(',')) : ROLES[role]
  if (scopes === undefined)
    throw new OperatorError(
      'what may the token do? Say so with --scope or --role (laurel token create --help says how)',
    )
  const data = { name, scopes, expires_at: expires === undefined ? undefined : expiryOf('--expires', expires) }
  await withClient(url, async (client) => {
    showIssuedToken(await client.call('POST /api/admin/tokens', { data }), json)
  })
}
