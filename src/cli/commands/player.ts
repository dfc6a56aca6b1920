import type { Answer } from '../../server/answers.ts'
import { escapeControls } from '../../shared/text.ts'
import { withClient } from '../client.ts'
import { explanationLines } from '../output/explanation.ts'
import { printJson } from '../output/print.ts'
import { printValues } from '../output/values.ts'

export type PlayerShowOptions = Readonly<{ url?: string; json?: true; reveal?: true; limit: string; after?: string }>

type Entry = Answer<'GET /api/players/:user_id'>['entries'][number]

/** `laurel player show`: the stored record, points and level, and the newest entries, each with its reasons. */
export async function playerShow(
  userId: string,
  { url, json, reveal, limit, after }: PlayerShowOptions,
): Promise<void> {
  await withClient(url, async (client) => {
    const params = { user_id: userId }
    const player = await client.call('GET /api/admin/players/:user_id', {
      params,
      query: { reveal: String(reveal === true) },
    })
    const query = { explain: 'true', limit, ...(after === undefined ? {} : { after }) }
    const standing = await client.call('GET /api/players/:user_id', { params, query })
    if (json) return printJson({ ...player, ...standing, name: player.name })
    const { points, earned, level, next, pending, held, expired, next_expiry } = standing
    const missing = next === null ? '' : `, ${next.missing} points to ${next.name}`
    const values = {
      ...player,
      points,
      ...(pending === undefined ? {} : { pending, held, expired, 'next to expire': nextExpiryText(next_expiry) }),
      'counts for the level': earned,
      level: `${level}${missing}`,
    }
    printValues(values)
    for (const entry of standing.entries) process.stdout.write(`\n${linesOf(entry).map(escapeControls).join('\n')}\n`)
    if (standing.after !== null)
      process.stdout.write(`\nolder entries: laurel player show ${escapeControls(userId)} --after ${standing.after}\n`)
  })
}

function nextExpiryText(next: Answer<'GET /api/players/:user_id'>['next_expiry']): string {
  return next === null || next === undefined ? 'nothing' : `${next.points} points, on ${next.on}`
}

/** The head shows when the entry was recorded, and the moment of the order if that is another. */
function linesOf({ seq, at, recorded_at, points, counts, explanation, ...about }: Entry): string[] {
  const moment = at === recorded_at ? '' : `, of ${at}`
  const level = counts ? '' : ' (does not count for the level)'
  const head = `#${seq}  ${recorded_at}  ${signed(points)}  ${subjectOf(about)}${moment}${level}`
  return [head, ...(explanation === undefined ? [] : explanationLines(explanation).map((reason) => `    ${reason}`))]
}

function subjectOf({ kind, order_id, change, revision, program, id, redemption_id, reason }: Partial<Entry>): string {
  if (order_id === undefined) return `${kind} ${id ?? redemption_id}: ${reason}`
  const order = `${kind === 'order' ? '' : `${kind} by `}order ${order_id}`
  return `${order}${change === undefined ? '' : ` ${change}`}, revision ${revision}, program ${program}`
}

function signed(points: number): string {
  return points > 0 ? `+${points}` : String(points)
}
