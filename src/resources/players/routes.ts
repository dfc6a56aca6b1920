import type { Deps } from '../../deps.ts'
import { PLAYER_SEARCH_WORDS, PLAYER_WORDS, playerFields, playerSearchFields } from '../../engine/ingest/player.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { SHOP_DEFAULTS } from '../../engine/ingest/shop-settings.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { type Limits, recordsBody } from '../../routing/body-limits.ts'
import { EXAMPLE_PLAYER } from '../../routing/example-records.ts'
import { masked, maskedAttributes, type View, viewOf } from '../../routing/masking.ts'
import { assertMayReveal, shownTo } from '../../routing/reveal-audit.ts'
import type { Description, Route } from '../../routing/route.ts'
import { integrationUpsert, upsertRoute } from '../../routing/upsert-route.ts'
import { assertScope } from '../../scopes.ts'
import { PLAYER_RESPONSES } from './responses.ts'
import { listPlayers, searchPlayers, showPlayer, upsertPlayers } from './service.ts'
import type { StoredPlayer } from './store.ts'

const playerExample = {
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
  participates: true,
  attributes: {},
}
const pageExample = { players: [playerExample], after: null }

const DESCRIBED = {
  list: {
    operationId: 'listPlayers',
    tag: 'players',
    summary: 'List stored players, by user ID',
    description: 'Personal data is masked for everyone.',
    example: { response: pageExample },
  },
  search: {
    operationId: 'searchPlayers',
    tag: 'players',
    summary: 'Find players by e-mail address, phone number, referral code or ID',
    description:
      'Players that match any of the fields sent, by user ID. Personal data is masked without `reveal=true`. The method `QUERY` does the same.',
    data: { ...schemaOf(playerSearchFields, PLAYER_SEARCH_WORDS), minProperties: 1 },
    example: { data: { email: 'Asha@Example.com' }, response: pageExample },
  },
  show: {
    operationId: 'showPlayer',
    tag: 'players',
    summary: 'Get a stored player',
    description: 'Personal data is masked without `reveal=true`.',
    example: { response: playerExample },
  },
} as const satisfies Record<string, Description>

/**
 * Players as stored, for people who look into a question: masked, unless they ask to reveal the players that they found, and may
 * (decision 67). Lists are masked for everyone.
 */
export function adminPlayerRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      PLAYER_RESPONSES,
      'GET /api/admin/players',
      ['read'],
      { texts: ['after', 'limit', 'prefix'], rows: 'players', described: DESCRIBED.list },
      async ({ texts, caller, deadlineAt }) => {
        if (texts.prefix !== undefined) assertScope(caller, ['support'])
        const { rows, after } = await listPlayers(deps, texts, deadlineAt)
        const view = viewOf(caller, deps.handles)
        return { players: rows.map((player) => maskedPlayer(player, view)), after }
      },
    ),
    {
      ...adminRoute(
        PLAYER_RESPONSES,
        'POST /api/admin/players/search',
        ['read'],
        { flags: ['reveal'], texts: ['after', 'limit'], rows: 'players', described: DESCRIBED.search },
        async (request) => {
          const { data, texts, deadlineAt } = request
          assertMayReveal(request)
          const { rows, after } = await searchPlayers(deps, data, texts, deadlineAt)
          return { players: await shownTo(deps, request, rows, maskedPlayer), after }
        },
      ),
      methods: ['POST', 'QUERY'],
      headers: { 'accept-query': 'application/json' },
    },
    adminRoute(
      PLAYER_RESPONSES,
      'GET /api/admin/players/:user_id',
      ['read'],
      { flags: ['reveal'], described: DESCRIBED.show },
      async (request) => {
        assertMayReveal(request)
        const player = await showPlayer(deps, request.params.user_id!, request.deadlineAt)
        const [shown] = await shownTo(deps, request, [player], maskedPlayer)
        return shown!
      },
    ),
  ]
}

/** The upsert of the contract. */
export function upsertPlayersRoute(deps: Deps, limits: Limits): Route {
  const described = integrationUpsert('players', recordsBody(limits), {
    operationId: 'upsertPlayers',
    summary: 'Insert new players and update known ones',
    description: 'Unchanged players count as updated. The shop settings may allow more than the schema.',
    record: schemaOf(playerFields(deps.now(), SHOP_DEFAULTS), PLAYER_WORDS),
    example: EXAMPLE_PLAYER,
  })
  return upsertRoute(PLAYER_RESPONSES, { ...described, flags: ['keep_filled'] }, upsertPlayers, deps, limits)
}

/** A player without identifying data; empty fields stay empty. Gender, state, district and country stay: statistics need them. */
function maskedPlayer(player: StoredPlayer, view: View): StoredPlayer {
  return {
    ...player,
    user_id: view.id(player.user_id),
    name: view.name(player.name),
    email: view.email(player.email),
    phone: masked(player.phone),
    address: masked(player.address),
    date_of_birth: player.date_of_birth === null ? null : masked(player.date_of_birth),
    refer_code: view.code(player.refer_code),
    referred_by: masked(player.referred_by),
    pincode: masked(player.pincode),
    attributes: maskedAttributes(player.attributes),
  }
}
