/*
 * The answers of the routes of redemptions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { REDEMPTION_STATES } from '../../engine/points/model.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, text, moment, whole, sum, signedSum, exact } = ANSWER_PARTS
const { after, dayOrNull } = SHARED_ANSWERS

const listedRedemption = {
  id: text('the identifier that the client gave it'),
  state: Type.Enum([...REDEMPTION_STATES], {
    type: 'string',
    description:
      'lapsed: the hold has run out; confirmed: spent; used: spent by its order; voided: released, or given back',
  }),
  points: whole('how many points; of a redemption that was voided in parts, what is left'),
  voided_points: Type.Optional(whole('how many were released or given back in parts; absent: none')),
  pays: Type.Optional(
    exact('the part of an order that they pay for; absent for a reward, and where points have no value'),
  ),
  reward: Type.Optional(text('the reward that they buy')),
  order_id: Type.Optional(text('the order that they are held for, or that has used them')),
  reason: text('what for; masked for callers who may only read'),
  created_at: moment('when they were first held or spent'),
}

const voidedRedemption = {
  ...listedRedemption,
  account: Type.Object(
    { points: signedSum('what can be spent'), held: sum('what is held') },
    { title: 'Spendable', description: 'What the player has now' },
  ),
}

const drawn = {
  lots: listOf(
    Type.Object(
      {
        points: whole('how many points'),
        expires_on: dayOrNull('the first day on which they can no longer be spent; null: they do not expire'),
      },
      { title: 'DrawnLot', description: 'Points with the same expiry that a redemption takes' },
    ),
    'the points that it takes, soonest to expire first; none once it is voided or has lapsed',
  ),
}

const heldUntil = { held_until: Type.Optional(moment('until when they are held')) }

const redemption = { ...voidedRedemption, ...drawn, ...heldUntil }

const repeated = Type.Boolean({ description: 'whether the same was done before' })

export const REDEMPTION_ANSWERS = {
  'POST /api/players/:user_id/redemptions': Type.Object(
    { ...redemption, repeated },
    { title: 'MadeRedemption', description: 'The redemption that was made' },
  ),
  'GET /api/players/:user_id/redemptions': Type.Object(
    {
      redemptions: listOf(
        Type.Object(
          { ...listedRedemption, ...heldUntil },
          { title: 'ListedRedemption', description: 'Points that are held, were spent, or were given back' },
        ),
        'by id',
      ),
      after,
    },
    { title: 'RedemptionPage', description: "A page of a player's redemptions" },
  ),
  'GET /api/players/:user_id/redemptions/:redemption_id': Type.Object(redemption, {
    title: 'Redemption',
    description: 'Points that are held, were spent, or were given back',
  }),
  'POST /api/players/:user_id/redemptions/:redemption_id/confirm': Type.Object(
    { ...voidedRedemption, ...drawn, repeated },
    { title: 'ConfirmedRedemption', description: 'The redemption after it was confirmed' },
  ),
  'POST /api/players/:user_id/redemptions/:redemption_id/void': Type.Object(
    { ...voidedRedemption, ...heldUntil, repeated },
    { title: 'VoidedRedemption', description: 'The redemption after it, or a part of it, was voided' },
  ),
} as const
