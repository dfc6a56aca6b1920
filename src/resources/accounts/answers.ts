/*
 * The answers of the routes of accounts.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { REVISION_CHANGES } from '../../engine/points/model.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, orNull, text, moment, whole, signed, sum, signedSum } = ANSWER_PARTS
const { after, nextLevel, day, dayOrNull, explanation, upsertSummary, quality } = SHARED_ANSWERS

const standing = {
  user_id: text('the key of the player'),
  points: signedSum('the balance: what can be spent'),
  earned: signedSum('what counts for the level'),
  level: text('the current level, under the program in effect'),
  next: nextLevel,
  name: text('the name of the player; masked for callers who may only read'),
}

/** What a standing has in addition where a program has points that wait or expire, or where a day was asked for. */
const balance = {
  pending: Type.Optional(
    signedSum('points that cannot be spent yet; this and what follows only where a program has points'),
  ),
  held: Type.Optional(sum('points that are held for a redemption')),
  expired: Type.Optional(sum('points that have expired')),
  booked: Type.Optional(signedSum('the sum of all entries: points, pending, held and expired')),
  lots: Type.Optional(
    listOf(
      Type.Object(
        {
          points: sum('how many points'),
          usable_on: Type.Optional(
            dayOrNull('the first day on which they can be spent; null: not known yet; absent: they can be spent'),
          ),
          expires_on: dayOrNull('the first day on which they can no longer be spent; null: they do not expire'),
        },
        { title: 'Lot', description: 'Points that expire on the same day' },
      ),
      'what is left: first what can be spent, soonest to expire first, then what cannot be spent yet',
    ),
  ),
  next_expiry: Type.Optional(
    orNull(
      Type.Object(
        { points: sum('how many points'), on: day('the first day on which they can no longer be spent') },
        { title: 'NextExpiry', description: 'The points that expire next' },
      ),
      'of what can be spent, what expires next; null: nothing does',
    ),
  ),
}

const entry = Type.Object(
  {
    seq: whole('the number of the entry within the player, from 1'),
    kind: text(
      'order, referral (points for whoever referred the player of that order), adjustment, redemption (points spent, or given back), or reinstated (points given back that had expired)',
    ),
    points: signed('signed; for an order that changed, the difference, which may be 0'),
    counts: Type.Boolean({ description: 'whether the points count for the level' }),
    order_id: Type.Optional(text('the order; of an order or a referral')),
    revision: Type.Optional(whole('the revision of the order, from 1; of an order or a referral')),
    program: Type.Optional(whole('the version of the program; of an order or a referral')),
    change: Type.Optional(
      Type.Enum([...REVISION_CHANGES, 'undone'], {
        type: 'string',
        description:
          'what happened to the order; moved: to another moment; undone: an adjustment was taken back; absent for other adjustments, and in older entries, from before it was kept',
      }),
    ),
    at: moment("the order's moment, or when the adjustment was made"),
    recorded_at: moment('when the entry was recorded: entries are in this order'),
    id: Type.Optional(text('the identifier of the adjustment')),
    redemption_id: Type.Optional(text('the redemption that was spent, or given back')),
    reason: Type.Optional(text('why the adjustment or redemption was made; masked for callers who may only read')),
    usable_on: Type.Optional(
      dayOrNull('the first day on which the points can be spent; null: not known yet; absent if no program said so'),
    ),
    expires_on: Type.Optional(
      dayOrNull(
        'the first day on which they can no longer be spent; null: they do not expire; absent if no program said so',
      ),
    ),
    spent_on: Type.Optional(day('the day that a redemption draws on; absent for other entries')),
    explanation: Type.Optional(explanation),
  },
  { title: 'Entry', description: 'A line of the ledger, which is append-only: a correction is an entry of its own' },
)

export const ACCOUNT_ANSWERS = {
  'GET /api/players/:user_id': Type.Object(
    {
      ...standing,
      ...balance,
      as_of: Type.Optional(
        moment(
          'the points are as of this moment: with known_at that one, else that of the answer; this and quality only where a program has points',
        ),
      ),
      quality: Type.Optional(quality),
      entries: listOf(entry, 'a page of the ledger, newest first'),
      after,
    },
    { title: 'Account', description: 'Where a player stands, and the entries behind it' },
  ),
  'POST /api/players/:user_id/adjustments': Type.Object(
    {
      ...standing,
      ...balance,
      repeated: Type.Boolean({ description: 'whether this adjustment had been made before' }),
    },
    { title: 'AdjustedAccount', description: 'Where the player stands after the adjustment' },
  ),
  'POST /api/players/:user_id/adjustments/:adjustment_id/undo': Type.Object(
    { ...standing, ...balance, repeated: Type.Boolean({ description: 'whether it had been undone before' }) },
    { title: 'UndoneAccount', description: 'Where the player stands after an adjustment was undone' },
  ),
  'POST /api/admin/balances': upsertSummary,
} as const
