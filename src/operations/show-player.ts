import { NotFound } from '../errors.ts'
import { shortened } from '../ingest/shown.ts'
import { readerOf } from '../store/db/reader.ts'
import { findPlayer, type StoredPlayer } from '../store/players.ts'
import type { Deps } from './deps.ts'

/** A player as stored. Errors: NotFound if unknown; Unavailable. */
export async function showPlayer({ db }: Pick<Deps, 'db'>, userId: string, deadlineAt: number): Promise<StoredPlayer> {
  const player = await findPlayer(readerOf(db, deadlineAt), userId)
  if (player === undefined) throw new NotFound(`there is no player ${shortened(userId)}`)
  return player
}
