import { randomUUID } from 'node:crypto'
import { OperatorError } from '../../../errors.ts'
import { escapeControls } from '../../../shared/text.ts'
import { withClient } from '../../client.ts'
import { printJson } from '../../output/print.ts'

export type PlayerAdjustOptions = Readonly<{
  url?: string
  json?: true
  reason: string
  id?: string
  undo?: string
  level: boolean
}>

/** `laurel player adjust`: points that no order earned, or that were spent; or undoes one of these. The same id twice adjusts once. Errors: OperatorError. */
export async function playerAdjust(
  userId: string,
  points: string | undefined,
  options: PlayerAdjustOptions,
): Promise<void> {
  if ((points === undefined) === (options.undo === undefined))
    throw new OperatorError('expected either a number of points, or --undo with the id of an adjustment')
  if (options.undo !== undefined) return undoOne(userId, options.undo, options)
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

async function undoOne(userId: string, id: string, { url, json, reason }: PlayerAdjustOptions): Promise<void> {
  await withClient(url, async (client) => {
    const undone = await client.call('POST /api/players/:user_id/adjustments/:adjustment_id/undo', {
      params: { user_id: userId, adjustment_id: id },
      data: { reason },
    })
    if (json) return printJson({ id, ...undone })
    const done = undone.repeated ? 'was undone before' : 'is undone'
    process.stdout.write(
      `adjustment ${escapeControls(id)} of player ${escapeControls(userId)} ${done}: ${undone.points} points, level ${escapeControls(undone.level)}\n`,
    )
  })
}
