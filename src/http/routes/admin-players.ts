import type { Deps } from '../../operations/deps.ts'
import { showPlayer } from '../../operations/show-player.ts'
import { assertScope } from '../authenticator.ts'
import { maskedId, maskedPlayer } from '../masking.ts'
import type { Description, Route } from '../route.ts'
import { adminRoute } from './admin-route.ts'
import type { Answer } from './answers.ts'

const showPlayerDescription: Description<Answer<'GET /api/admin/players/:user_id'>> = {
  operationId: 'showPlayer',
  tag: 'players',
  summary: 'Show a player as stored',
  description: 'Personal data is masked, unless `reveal=true` asks for it.',
  example: {
    answer: {
      user_id: 'u-1',
      name: 'A••• R•••',
      email: 'a•••',
      phone: '',
      address: '',
      date_of_birth: '•••',
      gender: 'female',
      refer_code: 'ASHA',
      state: 'Kerala',
      district: '',
      referred_by: '',
      pincode: '•••',
      country: 'India',
      rev: 1,
      created_at: '2026-06-01T12:00:00.000Z',
      updated_at: '2026-06-01T12:00:00.000Z',
    },
  },
}

/** One player as stored, for a person who looks into a question: masked, unless they ask to see it and may (decision 67). */
export function adminPlayerRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      'GET /api/admin/players/:user_id',
      ['read'],
      { flags: ['reveal'], described: showPlayerDescription },
      async (request) => {
        const { params, flags, caller, requestId, deadlineAt } = request
        if (flags.reveal) assertScope(caller, ['support'])
        const player = await showPlayer(deps, params.user_id!, deadlineAt)
        if (!flags.reveal) return maskedPlayer(player)
        deps.observe({ kind: 'player-revealed', requestId, tokenId: caller.tokenId, userId: maskedId(player.user_id) })
        return player
      },
    ),
  ]
}
