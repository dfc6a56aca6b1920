/*
 * The responses of the routes of players.
 */
import { addedField, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, timestamp } = RESPONSE_PARTS
const { rev, after, upsertSummary } = SHARED_RESPONSES

const player = Type.Object(
  {
    user_id: text('player ID'),
    name: text('the name; masked unless revealed'),
    email: text('e-mail address, or empty; masked unless revealed'),
    phone: text('phone number, or empty; masked unless revealed'),
    address: text('the address, or empty; masked unless revealed'),
    date_of_birth: orNull(Type.String(), 'date of birth, YYYY-MM-DD; masked unless revealed; null: unknown'),
    gender: text('as sent: male or female, unless the shop settings allow others'),
    refer_code: text('referral code of the player, or empty'),
    state: text('state of residence'),
    district: text('district of residence, or empty'),
    referred_by: text('the referrer of the player, or empty'),
    pincode: text('pin code; masked unless revealed'),
    country: text('country of residence'),
    rev,
    created_at: timestamp('when the player was first sent'),
    updated_at: timestamp('when the record was last changed'),
    participates: addedField(
      Type.Boolean({ description: 'false: the player has left the program, and new orders earn no points' }),
    ),
    attributes: addedField(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        ...{ type: 'object', additionalProperties: true },
        description: 'attributes; masked unless revealed; empty: none',
      }),
    ),
  },
  { title: 'StoredPlayer', description: 'A player as stored' },
)

const playerPage = Type.Object(
  { players: listOf(player, 'by user_id'), after },
  { title: 'PlayerPage', description: 'A page of players' },
)

export const PLAYER_RESPONSES = {
  'POST /api/integration/players': upsertSummary,
  'GET /api/admin/players': playerPage,
  'POST /api/admin/players/search': playerPage,
  'GET /api/admin/players/:user_id': player,
} as const
