import type { Deps } from '../../operations/deps.ts'
import { listPlayers } from '../../operations/list-players.ts'
import { searchPlayers } from '../../operations/search-players.ts'
import { showPlayer } from '../../operations/show-player.ts'
import type { StoredPlayer } from '../../store/players.ts'
import { assertScope } from '../authenticator.ts'
import { maskedId, maskedPlayer } from '../masking.ts'
import type { Route, RouteRequest } from '../route.ts'
import { adminRoute } from './admin-route.ts'

/**
 * Players as stored, for people who look into a question: masked, unless they ask to see those whom they have found, and may (decision 67).
 * A list is masked for everyone.
 */
export function adminPlayerRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'GET /api/admin/players',
      ['read'],
      { texts: ['after', 'limit', 'prefix'], rows: 'players' },
      async ({ texts, deadlineAt }) => {
        const { rows, after } = await listPlayers(deps, texts, deadlineAt)
        return { players: rows.map(maskedPlayer), after }
      },
    ),
    {
      ...adminRoute(
        'POST /api/admin/players/search',
        ['read'],
        { takesBody: true, flags: ['reveal'], texts: ['after', 'limit'], rows: 'players' },
        async (request) => {
          const { data, texts, deadlineAt } = request
          assertMayReveal(request)
          const { rows, after } = await searchPlayers(deps, data, texts, deadlineAt)
          return { players: rows.map((player) => shownTo(request, player)), after }
        },
      ),
      methods: ['POST', 'QUERY'],
      headers: { 'accept-query': 'application/json' },
    },
    adminRoute('GET /api/admin/players/:user_id', ['read'], { flags: ['reveal'] }, async (request) => {
      assertMayReveal(request)
      return shownTo(request, await showPlayer(deps, request.params.user_id!, request.deadlineAt))
    }),
  ]

  function shownTo({ flags, caller, requestId }: RouteRequest, player: StoredPlayer): StoredPlayer {
    if (!flags.reveal) return maskedPlayer(player)
    deps.observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: maskedId(player.user_id) })
    return player
  }
}

function assertMayReveal({ flags, caller }: RouteRequest): void {
  if (flags.reveal) assertScope(caller, ['support'])
}
