import type { Deps } from '../../operations/deps.ts'
import { showPlayer } from '../../operations/show-player.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** One player as stored, for a person who looks into a question. */
export function adminPlayerRoutes(deps: Deps): Route[] {
  return [
    adminRoute('GET /api/admin/players/:user_id', {}, ({ params, deadlineAt }) =>
      showPlayer(deps, params.user_id!, deadlineAt),
    ),
  ]
}
