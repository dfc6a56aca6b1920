import { oneLine } from '../../operations/reports/text.ts'
import type { Client } from '../client.ts'
import { type ExplanationJson, explanationLines } from '../output/explanation.ts'

type EntryJson = Readonly<{
  seq: number
  kind: string
  points: number
  counts: boolean
  at: string
  order_id?: string
  revision?: number
  program?: number
  id?: string
  reason?: string
  explanation?: ExplanationJson
}>
type StandingJson = Readonly<{
  points: number
  earned: number
  level: string
  next: Readonly<{ name: string; missing: number }> | null
  entries: readonly EntryJson[]
  after: string | null
}>

/** `laurel player show`: the stored record, the standing, and the newest entries, each with its reasons. */
export async function showPlayer(
  client: Client,
  userId: string,
  { json, limit = '20', after }: { json?: true | undefined; limit?: string | undefined; after?: string | undefined },
): Promise<void> {
  const id = encodeURIComponent(userId)
  const player = (await client.call('GET', `/api/admin/players/${id}`)) as Record<string, unknown>
  const query = new URLSearchParams({ explain: 'true', limit, ...(after === undefined ? {} : { after }) })
  const standing = (await client.call('GET', `/api/players/${id}?${query}`)) as StandingJson
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...player, ...standing }, null, 2)}\n`)
    return
  }
  const { points, earned, level, next } = standing
  const missing = next === null ? '' : `, ${next.missing} points to ${next.name}`
  const values = { ...player, points, 'counts for the level': earned, level: `${level}${missing}` }
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  for (const [name, value] of Object.entries(values))
    process.stdout.write(`${name.padEnd(width)}  ${oneLine(String(value))}\n`)
  for (const entry of standing.entries) process.stdout.write(`\n${linesOf(entry).map(oneLine).join('\n')}\n`)
  if (standing.after !== null)
    process.stdout.write(`\nolder entries: laurel player show ${oneLine(userId)} --after ${standing.after}\n`)
}

function linesOf({
  seq,
  kind,
  points,
  counts,
  at,
  order_id,
  revision,
  program,
  id,
  reason,
  explanation,
}: EntryJson): string[] {
  const about =
    order_id === undefined
      ? `${kind} ${id}: ${reason}`
      : `${kind === 'order' ? 'order' : 'referral by order'} ${order_id}, revision ${revision}, program ${program}`
  const head = `#${seq}  ${at}  ${signed(points)}  ${about}${counts ? '' : ' (does not count for the level)'}`
  return [head, ...(explanation === undefined ? [] : explanationLines(explanation).map((reason) => `    ${reason}`))]
}

function signed(points: number): string {
  return points > 0 ? `+${points}` : String(points)
}
