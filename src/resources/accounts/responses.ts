/*
 * The responses of the routes of accounts.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { REVISION_CHANGES } from '../../engine/points/model.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, orNull, text, timestamp, whole, signed, sum, signedSum } = RESPONSE_PARTS
const { after, nextLevel, day, dayOrNull, explanation, upsertSummary, quality } = SHARED_RESPONSES

const summary = {
  user_id: text('player ID'),
  points: signedSum('balance: points that can be spent'),
  earned: signedSum('points that count for the level'),
  level: text('the current level, under the program in effect'),
  next: nextLevel,
  name: text('player name; masked for tokens with `read` alone'),
}

/** What an account summary has in addition where a program has points that wait or expire, or where a day was asked for. */
const balance = {
  pending: Type.Optional(
    signedSum('points that cannot be spent yet; this and the following fields require `points` in the program'),
  ),
  held: Type.Optional(sum('points held for a redemption')),
  expired: Type.Optional(sum('expired points')),
  booked: Type.Optional(signedSum('the sum of all entries: points, pending, held and expired')),
  lots: Type.Optional(
    listOf(
      Type.Object(
        {
          points: sum('number of points'),
          usable_on: Type.Optional(
            dayOrNull('first date on which they can be spent; null: not known yet; absent: they can be spent'),
          ),
          expires_on: dayOrNull('date from which they can no longer be spent; null: they do not expire'),
        },
        { title: 'Lot', description: 'Points with the same expiry date' },
      ),
      'remaining points: first those that can be spent, soonest to expire first, then pending ones',
    ),
  ),
  next_expiry: Type.Optional(
    orNull(
      Type.Object(
        { points: sum('number of points'), on: day('date from which they can no longer be spent') },
        { title: 'NextExpiry', description: 'The next points to expire' },
      ),
      'of the points that can be spent, the next to expire; null: none',
    ),
  ),
}

const entry = Type.Object(
  {
    seq: whole('entry number within the player, from 1'),
    kind: text(
      'order, referral (points for the referrer of the player of that order), adjustment, redemption (points spent or refunded), or reinstated (refunded points that had expired)',
    ),
    points: signed('signed; for a changed order, the difference, possibly 0'),
    counts: Type.Boolean({ description: 'if true, the points count for the level' }),
    order_id: Type.Optional(text('order ID, for an order or a referral')),
    revision: Type.Optional(whole('revision of the order, from 1, for an order or a referral')),
    program: Type.Optional(whole('program version, for an order or a referral')),
    change: Type.Optional(
      Type.Enum([...REVISION_CHANGES, 'undone'], {
        type: 'string',
        description:
          'change of the order; moved: to another time; undone: an adjustment was undone; absent for other adjustments and in older entries',
      }),
    ),
    at: timestamp('time of the order or the adjustment'),
    recorded_at: timestamp('when the entry was recorded; entries are in this order'),
    id: Type.Optional(text('adjustment ID')),
    redemption_id: Type.Optional(text('ID of the redemption spent or refunded')),
    reason: Type.Optional(text('reason for the adjustment or redemption; masked for tokens with `read` alone')),
    usable_on: Type.Optional(
      dayOrNull(
        'first date on which the points can be spent; null: not known yet; absent without `points` in the program',
      ),
    ),
    expires_on: Type.Optional(
      dayOrNull(
        'date from which they can no longer be spent; null: they do not expire; absent without `points` in the program',
      ),
    ),
    spent_on: Type.Optional(day('date whose points a redemption uses; absent for other entries')),
    explanation: Type.Optional(explanation),
  },
  { title: 'Entry', description: 'A ledger entry. The ledger is append-only: corrections are separate entries' },
)

export const ACCOUNT_RESPONSES = {
  'GET /api/players/:user_id': Type.Object(
    {
      ...summary,
      ...balance,
      as_of: Type.Optional(
        timestamp(
          'time of the points: known_at if sent, else the time of the response; this and quality require `points` in the program',
        ),
      ),
      quality: Type.Optional(quality),
      entries: listOf(entry, 'a page of ledger entries, newest first'),
      after,
    },
    { title: 'Account', description: "A player's balance, level and entries" },
  ),
  'POST /api/players/:user_id/adjustments': Type.Object(
    {
      ...summary,
      ...balance,
      repeated: Type.Boolean({ description: 'if true, this adjustment was posted before' }),
    },
    { title: 'AdjustedAccount', description: "The player's account after the adjustment" },
  ),
  'POST /api/players/:user_id/adjustments/:adjustment_id/undo': Type.Object(
    { ...summary, ...balance, repeated: Type.Boolean({ description: 'if true, it was undone before' }) },
    { title: 'UndoneAccount', description: "The player's account after an adjustment was undone" },
  ),
  'POST /api/admin/balances': upsertSummary,
} as const
