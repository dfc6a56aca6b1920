import { randomUUID } from 'node:crypto'
import { escapeControls } from '../../../shared/text.ts'
import { withClient } from '../../client.ts'
import { CommandFailed } from '../../failure.ts'
import { printJson } from '../../output/print.ts'

export type PlayerRedeemOptions = Readonly<{
  url?: string
  json?: true
  reason: string
  id?: string
  reward?: string
  hold?: true
  order?: string
}>

/** `laurel player redeem`: spends points of a player, or holds them. The same id twice redeems once. */
export async function playerRedeem(
  userId: string,
  points: string | undefined,
  options: PlayerRedeemOptions,
): Promise<void> {
  const { url, json, reason, id = randomUUID(), reward, hold = false, order: order_id } = options
  if ((points === undefined) === (reward === undefined)) throw new CommandFailed('expected either points or --reward')
  await withClient(url, async (client) => {
    const redeemed = await client.call('POST /api/players/:user_id/redemptions', {
      params: { user_id: userId },
      data: { id, points, reward, hold, order_id, reason },
    })
    if (json) return printJson(redeemed)
    const done = redeemed.repeated ? 'was redeemed before' : redeemed.state === 'held' ? 'is held' : 'is redeemed'
    const until = redeemed.held_until === undefined ? '' : ` until ${redeemed.held_until}`
    process.stdout.write(
      `${redeemed.points} points of ${escapeControls(userId)}: redemption ${escapeControls(id)} ${done}${until}, ${redeemed.account.points} points are left\n`,
    )
  })
}
