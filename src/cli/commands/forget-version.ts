import type { VersionedNoun } from '../../operations/forget-version.ts'
import { escapeControls } from '../../operations/reports/text.ts'
import { withClient } from '../client.ts'

/** `laurel order | player | product forget-version`: the next state is taken whatever its version. */
export async function forgetVersionOf(
  noun: VersionedNoun,
  id: string,
  { url }: Readonly<{ url?: string }>,
): Promise<void> {
  await withClient(url, async ({ call }) => {
    await call('POST /api/admin/state-versions/:noun/:id/forget', { params: { noun, id } })
  })
  process.stdout.write(`the next state of ${noun} ${escapeControls(id)} is taken, whatever its version\n`)
}
