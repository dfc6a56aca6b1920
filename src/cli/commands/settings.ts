import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'
import { settingText } from '../output/setting-text.ts'
import { table } from '../output/table.ts'

/** `laurel settings show`: every setting of the shop, and who changed it when. */
export async function settingsShow({ url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const { settings } = await client.call('GET /api/admin/settings')
    if (json) return printJson(settings)
    const rows = settings.map(({ key, value, about, changed_at, changed_by }) => [
      key,
      settingText(value),
      changed_at === null ? 'default' : `set ${changed_at} by ${changed_by}`,
      about,
    ])
    process.stdout.write(table(['setting', 'value', 'from', 'what it is'], rows))
  })
}
