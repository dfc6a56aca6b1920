import { withClient } from '../client.ts'
import { settingText } from '../output/setting-text.ts'

/** `laurel settings set`: changes one setting of the shop. Errors: CommandFailed for a key that there is not, or a value that does not fit. */
export async function settingsSet(key: string, value: string, { url }: { url?: string }): Promise<void> {
  await change(key, value, url)
}

/** `laurel settings reset`: puts one setting of the shop back to its default. Errors: CommandFailed for a key that there is not. */
export async function settingsReset(key: string, { url }: { url?: string }): Promise<void> {
  await change(key, null, url)
}

async function change(key: string, value: string | null, url: string | undefined): Promise<void> {
  await withClient(url, async (client) => {
    const { settings } = await client.call('PUT /api/admin/settings', { data: { [key]: value } })
    const now = settings.find((one) => one.key === key)!
    process.stdout.write(`${key} is ${settingText(now.value)}\n`)
  })
}
