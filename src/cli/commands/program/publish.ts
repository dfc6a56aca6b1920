import { escapeControls } from '../../../text.ts'
import { withClient } from '../../client.ts'
import { readProgramFile } from '../../input/program-file.ts'
import { printJson } from '../../output/print.ts'

export type ProgramPublishOptions = Readonly<{
  url?: string
  from?: string
  note?: string
  changeZone?: true
  json?: true
}>

/** `laurel program publish`: checks a file, and publishes it as the next version. */
export async function programPublish(file: string, options: ProgramPublishOptions): Promise<void> {
  const { url, from, note, changeZone: change_zone, json } = options
  const { source } = readProgramFile(file)
  await withClient(url, async (client) => {
    const published = await client.call('POST /api/admin/programs', { data: { source, from, note, change_zone } })
    if (json) return printJson(published)
    process.stdout.write(
      `${escapeControls(published.name)} is version ${published.version}, in effect from ${published.from}\n`,
    )
  })
}
