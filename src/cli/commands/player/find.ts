import { escapeControls } from '../../../shared/text.ts'
import { withClient } from '../../client.ts'
import { CommandFailed } from '../../failure.ts'
import { printJson } from '../../output/print.ts'
import { table } from '../../output/table.ts'

export type PlayerFindOptions = Readonly<{ url?: string; json?: true; reveal?: true; limit: string; after?: string }>

const COLUMNS = ['user_id', 'name', 'email', 'phone', 'refer_code', 'updated_at'] as const

/** `laurel player find`: the players who have a text as their id, e-mail address, phone number or referral code. */
export async function playerFind(text: string, { url, json, reveal, limit, after }: PlayerFindOptions): Promise<void> {
  await withClient(url, async (client) => {
    const found = await client.call('POST /api/admin/players/search', {
      query: { reveal: String(reveal === true), limit, ...(after === undefined ? {} : { after }) },
      data: { user_id: text, email: text, phone: text, refer_code: text },
    })
    if (found.players.length === 0)
      throw new CommandFailed(
        'no player has this as their id, e-mail address, phone number (with its country code) or referral code; names are not searched',
      )
    if (json) return printJson(found)
    const rows = found.players.map((player) => COLUMNS.map((column) => player[column]))
    process.stdout.write(table(COLUMNS, rows))
    if (found.after !== null)
      process.stdout.write(`\nmore: laurel player find ${escapeControls(text)} --after ${found.after}\n`)
  })
}
