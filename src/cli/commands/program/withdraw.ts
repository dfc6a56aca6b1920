import { withClient } from '../../client.ts'
import { printJson } from '../../output/print.ts'

/** `laurel program withdraw`: takes back a version before it takes effect. */
export async function programWithdraw(version: string, { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const withdrawn = await client.call('POST /api/admin/programs/:version/withdraw', { params: { version } })
    if (json) return printJson(withdrawn)
    process.stdout.write(`version ${version} is withdrawn and will not take effect\n`)
  })
}
