import { NotFound } from '../../errors.ts'
import { shortened } from '../../ingest/shown.ts'
import type { Deps } from '../../operations/deps.ts'
import { readerOf } from '../../store/db/reader.ts'
import { findPlayer } from '../../store/players.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** One player as stored, for a person who looks into a question. */
export function adminPlayerRoutes(deps: Deps): Route[] {
  return [
    adminRoute('GET', '/api/admin/players/:user_id', async ({ params, deadlineAt }) => {
      const userId = params.user_id!
      const player = await findPlayer(readerOf(deps.db, deadlineAt), userId)
      if (player === undefined) throw new NotFound(`there is no player ${shortened(userId)}`)
      return player
    }),
  ]
}
