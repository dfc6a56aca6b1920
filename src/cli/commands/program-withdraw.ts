import { withClient } from '../client.ts'

/** `laurel program withdraw`: takes back a version before its moment has come. */
export async function programWithdraw(version: string, { url }: { url?: string }): Promise<void> {
  await withClient(url, async (client) => {
    await client.call('POST /api/admin/programs/:version/withdraw', { params: { version } })
    process.stdout.write(`version ${version} is withdrawn and will not hold\n`)
  })
}
