/*
 * What an import asks about the program in effect, for its advice only.
 */
import { Unavailable } from '../errors.ts'
import type { Client } from './client.ts'
import { isRefusal } from './failure.ts'

/** Whether the program in effect is still valid with this line at its end; false if the token may not read it, or nobody answers. */
export async function canAppend(client: Client, line: string): Promise<boolean> {
  const source = await findSource(client)
  if (source === undefined) return false
  // Only advice needs the program reader.
  const { readProgramText } = await import('../engine/ingest/program-text.ts')
  return 'program' in readProgramText(`${source}${line}\n`)
}

/** The time zone of the program in effect; undefined if the token may not read it, nobody answers, or a newer version wrote it. */
export async function findProgramZone(client: Client): Promise<string | undefined> {
  const source = await findSource(client)
  if (source === undefined) return undefined
  const { readProgramText } = await import('../engine/ingest/program-text.ts')
  const read = readProgramText(source)
  return 'program' in read ? read.program.timeZone : undefined
}

async function findSource({ call }: Client): Promise<string | undefined> {
  try {
    return (await call('GET /api/admin/programs/:version', { params: { version: 'current' } })).source
  } catch (error) {
    if (isRefusal(error) || error instanceof Unavailable) return undefined
    throw error
  }
}
