/*
 * The responses of the routes of personal data.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'
import { KEPT_KINDS } from './export-player.ts'

const { listOf, text, whole } = RESPONSE_PARTS
const { after } = SHARED_RESPONSES

const kinds = Object.keys(KEPT_KINDS) as (keyof typeof KEPT_KINDS)[]

export const PERSONAL_DATA_RESPONSES = {
  'GET /api/admin/players/:user_id/export': Type.Object(
    {
      records: listOf(
        Type.Object(
          {
            kind: Type.Enum(['header', ...kinds], {
              type: 'string',
              description: 'header: the first record, which says what each kind is',
            }),
            record: Type.Unsafe<Readonly<Record<string, unknown>>>({
              type: 'object',
              description: 'the columns as stored; in CSV as JSON',
            }),
          },
          { title: 'KeptRecord', description: 'A record about a player' },
        ),
        'by kind',
      ),
      after,
    },
    { title: 'PlayerExport', description: 'A page of all that is kept about a player' },
  ),
  'POST /api/admin/players/:user_id/erase': Type.Object(
    {
      user_id: text('player ID from now on; in a dry run the present one'),
      replaced: Type.Boolean({
        description: 'if true, the ID is an e-mail address or a phone number, and is replaced by a random one',
      }),
      repeated: Type.Boolean({ description: 'if true, the player was erased before, and all counts are 0' }),
      blanked: Type.Object(
        {
          orders: whole('count of orders without referral code and personal facts; their points stay'),
          reasons: whole('count of entries without their reason; their points stay'),
          redemptions: whole('count of redemptions without their reason'),
          referred_orders: whole("count of other players' orders without the player's referral code"),
          referred_players: whole('count of other players without the player as referrer'),
        },
        { title: 'BlankedRecords', description: 'What is kept without what identifies the player' },
      ),
      deleted: Type.Object(
        {
          predictions: whole('count of stored predictions'),
          jobs: whole('count of jobs whose result names the player'),
        },
        { title: 'DeletedRecords', description: 'What is deleted' },
      ),
      voided_holds: whole('count of open holds'),
      kept_entries: whole('count of entries; all sums stay'),
    },
    { title: 'ErasedPlayer', description: 'What an erasure blanks, deletes and keeps' },
  ),
} as const
