import type { VersionedNoun } from '../../resources/state-versions/forget-version.ts'
import { escapeControls } from '../../text.ts'
import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'

/** `laurel order | player | product forget-version`: the next state is accepted, whatever its version. */
export async function forgetVersionOf(
  noun: VersionedNoun,
  id: string,
  { url, json }: Readonly<{ url?: string; json?: true }>,
): Promise<void> {
  await withClient(url, async ({ call }) => {
    const forgotten = await call('POST /api/admin/state-versions/:noun/:id/forget', { params: { noun, id } })
    if (json) return printJson(forgotten)
    process.stdout.write(`the next state of ${noun} ${escapeControls(id)} will be accepted, whatever its version\n`)
  })
}
