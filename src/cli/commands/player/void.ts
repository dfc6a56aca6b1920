import { escapeControls } from '../../../shared/text.ts'
import { withClient } from '../../client.ts'
import { printJson } from '../../output/print.ts'

export type PlayerVoidOptions = Readonly<{ url?: string; json?: true; reason: string }>

/** `laurel player void`: releases held points, or gives back points that were spent without an order. */
export async function playerVoid(
  userId: string,
  redemptionId: string,
  { url, json, reason }: PlayerVoidOptions,
): Promise<void> {
  await withClient(url, async (client) => {
    const voided = await client.call('POST /api/players/:user_id/redemptions/:redemption_id/void', {
      params: { user_id: userId, redemption_id: redemptionId },
      data: { reason },
    })
    if (json) return printJson(voided)
    const done = voided.repeated ? 'was voided before' : 'is voided'
    process.stdout.write(
      `redemption ${escapeControls(redemptionId)} of ${escapeControls(userId)} ${done}: ${voided.account.points} points can be spent\n`,
    )
  })
}
