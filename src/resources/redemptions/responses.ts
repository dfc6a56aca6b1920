/*
 * The responses of the routes of redemptions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { REDEMPTION_STATES } from '../../engine/points/model.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, text, timestamp, whole, sum, signedSum, exact } = RESPONSE_PARTS
const { after, dayOrNull } = SHARED_RESPONSES

const listedRedemption = {
  id: text('redemption ID, set by the client'),
  state: Type.Enum([...REDEMPTION_STATES], {
    type: 'string',
    description:
      'lapsed: the hold has timed out; confirmed: spent; used: spent by its order; voided: released or refunded',
  }),
  points: whole('number of points; if voided in parts, the remaining points'),
  voided_points: Type.Optional(whole('points released or refunded in parts; absent: none')),
  pays: Type.Optional(exact('amount of an order that they pay; absent for a reward, or if points have no value')),
  reward: Type.Optional(text('the reward redeemed')),
  order_id: Type.Optional(text('ID of the order that they are held for or were used by')),
  reason: text('reason; masked for tokens with `read` alone'),
  created_at: timestamp('when they were first held or spent'),
}

const voidedRedemption = {
  ...listedRedemption,
  account: Type.Object(
    { points: signedSum('points that can be spent'), held: sum('points held') },
    { title: 'Spendable', description: "The player's points now" },
  ),
}

const drawn = {
  lots: listOf(
    Type.Object(
      {
        points: whole('number of points'),
        expires_on: dayOrNull('date from which they can no longer be spent; null: they do not expire'),
      },
      { title: 'DrawnLot', description: 'Points with the same expiry date that a redemption uses' },
    ),
    'the points used, soonest to expire first; empty once voided or lapsed',
  ),
}

const heldUntil = { held_until: Type.Optional(timestamp('end of the hold')) }

const redemption = { ...voidedRedemption, ...drawn, ...heldUntil }

const repeated = Type.Boolean({ description: 'if true, the same was done before' })

export const REDEMPTION_RESPONSES = {
  'POST /api/players/:user_id/redemptions': Type.Object(
    { ...redemption, repeated },
    { title: 'MadeRedemption', description: 'The new redemption' },
  ),
  'GET /api/players/:user_id/redemptions': Type.Object(
    {
      redemptions: listOf(
        Type.Object(
          { ...listedRedemption, ...heldUntil },
          { title: 'ListedRedemption', description: 'Points held, spent or refunded' },
        ),
        'by id',
      ),
      after,
    },
    { title: 'RedemptionPage', description: "A page of a player's redemptions" },
  ),
  'GET /api/players/:user_id/redemptions/:redemption_id': Type.Object(redemption, {
    title: 'Redemption',
    description: 'Points held, spent or refunded',
  }),
  'POST /api/players/:user_id/redemptions/:redemption_id/confirm': Type.Object(
    { ...voidedRedemption, ...drawn, repeated },
    { title: 'ConfirmedRedemption', description: 'The redemption after it was confirmed' },
  ),
  'POST /api/players/:user_id/redemptions/:redemption_id/void': Type.Object(
    { ...voidedRedemption, ...heldUntil, repeated },
    { title: 'VoidedRedemption', description: 'The redemption after it, or part of it, was voided' },
  ),
} as const
