import type { Deps } from '../../operations/deps.ts'
import { showPlayer } from '../../operations/show-player.ts'
import { assertScope } from '../authenticator.ts'
import { maskedId, maskedPlayer } from '../masking.ts'
import type { Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/** One player as stored, for a person who looks into a question: masked, unless they ask to see it and may (decision 67). */
export function adminPlayerRoutes(deps: Deps): Route[] {
  return [
    adminRoute('GET /api/admin/players/:user_id', ['read'], { flags: ['reveal'] }, async (request) => {
      const { params, flags, caller, requestId, deadlineAt } = request
      if (flags.reveal) assertScope(caller, ['support'])
      const player = await showPlayer(deps, params.user_id!, deadlineAt)
      if (!flags.reveal) return maskedPlayer(player)
      deps.observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: maskedId(player.user_id) })
      return player
    }),
  ]
}
