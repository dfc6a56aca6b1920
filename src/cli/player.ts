import type { Client } from './client.ts'

/** `laurel player show`: the stored record, a value on each line. */
export async function showPlayer(client: Client, userId: string, json: boolean): Promise<void> {
  const player = (await client.call('GET', `/api/admin/players/${encodeURIComponent(userId)}`)) as Record<
    string,
    unknown
  >
  if (json) {
    process.stdout.write(`${JSON.stringify(player, null, 2)}\n`)
    return
  }
  const width = Math.max(...Object.keys(player).map((name) => name.length))
  for (const [name, value] of Object.entries(player))
    process.stdout.write(`${name.padEnd(width)}  ${oneLine(String(value))}\n`)
}

/** A stored text may hold control characters; on a terminal they would be commands. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
