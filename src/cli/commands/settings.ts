import type { Command } from 'commander'
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
    .option('--json', 'as JSON')
    .action(settingsSet)
  settings
    .command('reset <key>')
    .description('reset a setting to its default')
    .option(...URL_OPTION)
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

type SettingsSetOptions = Readonly<{ url?: string; json?: true }>

/** `laurel settings set`: changes one setting of the shop. Errors: CommandFailed for an unknown key, or an invalid value. */
async function settingsSet(key: string, value: string, options: SettingsSetOptions): Promise<void> {
  await change(key, value, options)
}

/** `laurel settings reset`: puts one setting of the shop back to its default. Errors: CommandFailed for an unknown key. */
async function settingsReset(key: string, options: SettingsSetOptions): Promise<void> {
  await change(key, null, options)
}

async function change(key: string, value: string | null, { url, json }: SettingsSetOptions): Promise<void> {
  await withClient(url, async (client) => {
    const { settings } = await client.call('PUT /api/admin/settings', { data: { [key]: value } })
    const now = settings.find((one) => one.key === key)
    if (now === undefined) throw new CommandFailed(`the service does not say what ${key} is now`)
    if (json) return printJson(now)
    printLine`${key} is ${settingText(now.value)}`
  })
}
