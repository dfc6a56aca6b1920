import { readerOf } from '../../database/db/reader.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import type { Deps } from '../../shared/deps.ts'
import { findPlayer, type StoredPlayer } from './store.ts'

/** A player as stored. Errors: NotFound if unknown; Unavailable. */
export async function showPlayer({ db }: Pick<Deps, 'db'>, userId: string, deadlineAt: number): Promise<StoredPlayer> {
  const player = await findPlayer(readerOf(db, deadlineAt), userId)
  if (player === undefined) throw new NotFound(`there is no player ${shortened(userId)}`)
  return player
}
