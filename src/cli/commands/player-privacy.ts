import type { Command } from 'commander'
import type { RouteResponse } from '../../server/responses.ts'
import { count } from '../../text.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { CommandFailed } from '../failure.ts'
import { confirm } from '../input/confirm.ts'
import { noteLine, printJson, printLine, printText } from '../output/print.ts'

export function definePrivacy(player: Command): void {
  player
    .command('export <user_id>')
    .description('print all that is kept about a player as NDJSON; recorded in the audit log')
    .option(...URL_OPTION)
    .action(playerExport)
  player
    .command('erase <user_id>')
    .description('blank everything that identifies a player; points and sums stay')
    .option(...URL_OPTION)
    .requiredOption('--reason <text>', 'reason, kept in the audit log; without personal data')
    .option('--dry-run', 'print what would be blanked and kept; change nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON')
    .action(playerErase)
}

const PAGE_ROWS = '500'

/** `laurel player export`: a line of JSON for each record; the first says what each kind is. */
async function playerExport(userId: string, { url }: Readonly<{ url?: string }>): Promise<void> {
  await withClient(url, async ({ call }) => {
    let query: Record<string, string> = { limit: PAGE_ROWS }
    for (;;) {
      const { records, after } = await call('GET /api/admin/players/:user_id/export', {
        params: { user_id: userId },
        query,
      })
      printText(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      if (after === null) return
      if (after === query.after)
        throw new CommandFailed('the service sent the same cursor twice: the export is not complete')
      query = { limit: PAGE_ROWS, after }
    }
  })
}

/** All orders are read for those that name the player. */
const ERASE_TIMEOUT_MS = 600_000

type EraseOptions = Readonly<{ url?: string; reason: string; dryRun?: true; yes?: true; json?: true }>

/** `laurel player erase`: what is blanked, what is deleted, and what stays. */
async function playerErase(userId: string, { url, reason, dryRun, yes, json }: EraseOptions): Promise<void> {
  if (!dryRun) await confirm(`What identifies player ${userId} is erased, and cannot be restored.`, yes === true)
  await withClient(url, async ({ call }) => {
    const erased = await call('POST /api/admin/players/:user_id/erase', {
      params: { user_id: userId },
      query: { dry_run: String(dryRun === true) },
      data: { reason },
      timeoutMs: ERASE_TIMEOUT_MS,
    })
    if (json) return printJson(erased)
    if (erased.repeated) return printLine`the player was erased before, and has the ID ${erased.user_id}`
    printErased(erased, dryRun === true)
  })
}

function printErased(
  {
    user_id,
    replaced,
    blanked,
    deleted,
    voided_holds,
    kept_entries,
  }: RouteResponse<'POST /api/admin/players/:user_id/erase'>,
  isDryRun: boolean,
): void {
  const { orders, reasons, redemptions, referred_orders, referred_players } = blanked
  printLine`${isDryRun ? 'dry run: nothing was changed' : 'the player is erased'}`
  if (replaced) printLine`${isDryRun ? 'the ID would be replaced by a random one' : `new ID: ${user_id}`}`
  printLine`blanked: the player, ${count(orders, 'order')}, ${count(reasons, 'reason')}, ${count(redemptions, 'redemption')}, ${count(referred_orders, 'order')} and ${count(referred_players, 'record')} of others`
  printLine`deleted: ${count(deleted.predictions, 'stored prediction')}, ${count(deleted.jobs, 'job')}; voided: ${count(voided_holds, 'hold')}`
  printLine`kept: ${kept_entries === 1 ? '1 entry' : `${kept_entries} entries`} with the points, and all sums`
  noteLine`backups, dead rows and the write-ahead log of the database keep what they have: see docs/privacy.md`
}
