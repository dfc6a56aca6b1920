import type { Command } from 'commander'
import type { RouteResponse } from '../../server/responses.ts'
import { count } from '../../text.ts'
import { withClient } from '../client.ts'
import { URL_OPTION } from '../command-parts.ts'
import { CommandFailed } from '../failure.ts'
import { settingText } from '../output/command-words.ts'
import { printJson, printLine, printText, table } from '../output/print.ts'

export function defineSettings(settings: Command): void {
  settings
    .command('show')
    .description('print every setting of the shop, with who changed it and when')
    .option(...URL_OPTION)
    .option('--json', 'as JSON')
    .action(settingsShow)
  settings
    .command('set <key> <value>')
    .description('change a setting; lists are comma-separated')
    .option(...URL_OPTION)
    .option('--dry-run', 'print what would be deleted or erased; change nothing')
    .option('--json', 'as JSON')
    .action(settingsSet)
  settings
    .command('reset <key>')
    .description('reset a setting to its default')
    .option(...URL_OPTION)
    .option('--dry-run', 'print what would be deleted or erased; change nothing')
    .option('--json', 'as JSON')
    .action(settingsReset)
}

/** `laurel settings show`: every setting of the shop, and who changed it when. */
async function settingsShow({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { settings } = await client.call('GET /api/admin/settings')
    if (json) return printJson(settings)
    const rows = settings.map(({ key, value, about, changed_at, changed_by }) => [
      key,
      settingText(value),
      changed_at === null ? 'default' : `set ${changed_at} by ${changed_by}`,
      about,
    ])
    printText(table(['setting', 'value', 'from', 'description'], rows))
  })
}

type ChangeOptions = Readonly<{ url?: string; dryRun?: true; json?: true }>

/** `laurel settings set`: changes one setting of the shop. Errors: CommandFailed for an unknown key, or an invalid value. */
async function settingsSet(key: string, value: string, options: ChangeOptions): Promise<void> {
  await change(key, value, options)
}

/** `laurel settings reset`: puts one setting of the shop back to its default. Errors: CommandFailed for an unknown key. */
async function settingsReset(key: string, options: ChangeOptions): Promise<void> {
  await change(key, null, options)
}

async function change(key: string, value: string | null, { url, dryRun, json }: ChangeOptions): Promise<void> {
  await withClient(url, async (client) => {
    const query = dryRun && { query: { dry_run: 'true' } }
    const { settings, effects } = await client.call('PUT /api/admin/settings', { ...query, data: { [key]: value } })
    const now = settings.find((one) => one.key === key)
    if (now === undefined) throw new CommandFailed(`the service does not say what ${key} is now`)
    const effect = effects?.find((one) => one.key === key)
    if (json) return printJson(effect === undefined ? now : { ...now, effect })
    if (!dryRun) return printLine`${key} is ${settingText(now.value)}`
    printLine`dry run: ${key} would be ${settingText(now.value)}`
    if (effect !== undefined) printEffect(effect)
  })
}

type Effect = NonNullable<RouteResponse<'PUT /api/admin/settings'>['effects']>[number]

function printEffect({ count: all, players }: Effect): void {
  if (players === undefined) {
    printLine`${count(all, 'row')} would be deleted`
    return
  }
  const more = all > players.length ? [`and ${all - players.length} more`] : []
  printLine`${count(all, 'player')} would be erased${players.length === 0 ? '' : `: ${[...players, ...more].join(', ')}`}`
}
