import { escapeControlsInLines } from '../../../shared/text.ts'
import { withClient } from '../../client.ts'
import { printJson } from '../../output/print.ts'

/** `laurel program show`: a version's file as it was published, so that `laurel program show > program.yaml` is a file to start from. */
export async function programShow(version = 'current', { url, json }: { url?: string; json?: true }): Promise<void> {
  await withClient(url, async (client) => {
    const shown = await client.call('GET /api/admin/programs/:version', { params: { version } })
    if (json) return printJson(shown)
    const { source } = shown
    // A file or a pipe gets it byte for byte.
    process.stdout.write(process.stdout.isTTY ? escapeControlsInLines(source) : source)
  })
}
