import { type Command, Option } from 'commander'
import { readDurationMs } from '../../engine/points/calendar.ts'
import { OperatorError } from '../../errors.ts'
import { ROLES, type Role, SCOPES } from '../../scopes.ts'
import type { RouteResponse } from '../../server/responses.ts'
import { escapeControls } from '../../text.ts'
import { type Client, withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { confirm } from '../input/confirm.ts'
import { noteLine, printJson, printLine, printText, table } from '../output/print.ts'

export function defineToken(token: Command): void {
  token
    .command('create <name>')
    .description('create a token and show it, once')
    .option(...URL_OPTION)
    .option('--scope <scope...>', `scopes: ${SCOPES.join(', ')} (admin includes the others)`)
    .addOption(new Option('--role <role>', 'the scopes of a person').choices(Object.keys(ROLES)).conflicts('scope'))
    .option('--expires <when>', 'expiry: a duration like 30d, 24h or 2w, or a timestamp like 2027-01-31T00:00:00Z')
    .option('--json', 'as JSON')
    .action(tokenCreate)
  token
    .command('list')
    .description('list all tokens, without their secrets')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(tokenList)
  token
    .command('revoke <id>')
    .description('revoke a token')
    .option(...URL_OPTION)
    .option('--yes', 'do not ask, even if it is the last one with the scope admin')
    .option('--json', 'as JSON')
    .action(tokenRevoke)
  token
    .command('rotate <id>')
    .description('replace a token by a new one of the same name and scopes')
    .option(...URL_OPTION)
    .option('--overlap <time>', 'validity of the old token, like 24h; at most 30d (default: revoked at once)')
    .option('--json', 'as JSON')
    .action(tokenRotate)
}

type TokenCreateOptions = Readonly<{
  url?: string
  scope?: readonly string[]
  role?: Role
  expires?: string
  json?: true
}>

/** `laurel token create`: scopes may be given one by one, or with commas between them, or as a role. */
async function tokenCreate(name: string, { url, scope, role, expires, json }: TokenCreateOptions): Promise<void> {
  const scopes = role === undefined ? scope?.flatMap((one) => one.split(',')) : ROLES[role]
  if (scopes === undefined) throw new OperatorError('missing --scope or --role (see laurel token create --help)')
  const data = { name, scopes, expires_at: expires === undefined ? undefined : expiryOf('--expires', expires) }
  await withClient(url, async (client) => {
    showIssuedToken(await client.call('POST /api/admin/tokens', { data }), json)
  })
}

/** `laurel token list`: every token with its id, never its secret text. */
async function tokenList({ url, json }: { url?: string; json?: true }): Promise<void> {
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
    printText(table(['id', 'name', 'scopes', 'created', 'last used', 'state'], rows))
  })
}

type TokenRevokeOptions = Readonly<{ url?: string; json?: true; yes?: true }>

/** `laurel token revoke`: revoking twice is no error. Asks before revoking the last token that can create others. */
async function tokenRevoke(id: string, { url, json, yes }: TokenRevokeOptions): Promise<void> {
  await withClient(url, async (client) => {
    if (await isLastAdmin(client, id))
      await confirm(
        `Token ${escapeControls(id)} is the last one with the scope admin: without it, no one can create another over HTTP.`,
        yes === true,
      )
    const revoked = await client.call('POST /api/admin/tokens/:id/revoke', { params: { id } })
    if (json) return printJson(revoked)
    printLine`token ${id} is revoked; every service refuses it within a second`
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

type TokenRotateOptions = Readonly<{ url?: string; json?: true; overlap?: string }>

/** `laurel token rotate`: the new token is shown as `token create` shows it. */
async function tokenRotate(id: string, { url, json, overlap }: TokenRotateOptions): Promise<void> {
  await withClient(url, async (client) => {
    const query = overlap === undefined ? {} : { overlap }
    showIssuedToken(await client.call('POST /api/admin/tokens/:id/rotate', { params: { id }, query }), json)
  })
}

/** When something expires, as a moment (RFC 3339): a moment is passed on, a duration like `30d` is counted from now. Errors: OperatorError. */
function expiryOf(option: string, text: string): string {
  const durationMs = readDurationMs(text)
  if (durationMs !== undefined) return new Date(Date.now() + durationMs).toISOString()
  if (/^\d{4}-/.test(text)) return text
  throw new OperatorError(
    `${option} is "${text}", expected a duration like 30d, 24h or 2w, or a timestamp like 2027-01-31T00:00:00Z`,
  )
}

/** Shows a new token: its text alone on standard output, so that a script can capture it; the rest on standard error. */
function showIssuedToken(issued: RouteResponse<'POST /api/admin/tokens'>, json?: true): void {
  if (json) {
    printJson(issued)
    return
  }
  const { id, token, name, scopes, expires_at } = issued
  const expiry = expires_at === null ? 'without expiry' : `until ${expires_at}`
  noteLine`token ${id} (${name}) for ${scopes.join(', ')}, ${expiry}; shown only once:`
  printLine`${token}`
}
