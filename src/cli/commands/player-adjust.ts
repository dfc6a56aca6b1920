import { randomUUID } from 'node:crypto'
import { escapeControls } from '../../operations/reports/text.ts'
import { withClient } from '../client.ts'
import { printJson } from '../output/print.ts'

export type PlayerAdjustOptions = Readonly<{ url?: string; json?: true; reason: string; id?: string; level: boolean }>

/** `laurel player adjust`: points that no order earned, or that were spent. The same id twice adjusts once. */
export async function playerAdjust(userId: string, points: string, options: PlayerAdjustOptions): Promise<void> {
  const { url, json, reason, id = randomUUID(), level: counts } = options
  await withClient(url, async (client) => {
    const adjusted = await client.call('POST /api/players/:user_id/adjustments', {
      params: { user_id: userId },
      data: { id, points, counts, reason },
    })
    if (json) return printJson({ id, ...adjusted })
    const done = adjusted.repeated ? 'was adjusted before' : 'is adjusted'
    process.stdout.write(
      `player ${escapeControls(userId)} ${done} (${escapeControls(id)}): ${adjusted.points} points, level ${escapeControls(adjusted.level)}\n`,
    )
  })
}
