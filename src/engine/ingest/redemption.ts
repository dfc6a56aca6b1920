import type { TSchema } from 'typebox'
import { InvalidInput } from '../../errors.ts'
import { WHOLE_MAX } from '../points/arithmetic.ts'
import { Type } from '../points/json-schema.ts'
import type { RedeemCommand } from '../points/ledger/redemptions.ts'
import { boolean, key, nonBlankKey, nonBlankText, nonEmptyText, wholePoints } from './fields.ts'
import { wholePattern } from './patterns.ts'
import { type Field, InvalidValue, optional, type RecordWords, readRecord, required, schemaOf } from './record.ts'

const positivePoints: Field<bigint> = {
  schema: Type.Union([
    Type.String({
      title: 'QuotedPositive',
      pattern: `^${wholePattern(WHOLE_MAX, 1)}$`,
      description: 'an integer between 1 and 9007199254740991, as a string',
    }),
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  ]),
  read: (value) => {
    const points = wholePoints.read(value)
    if (points === 0n) throw new InvalidValue('an integer greater than 0', value)
    return points
  },
}

/** The fields of a redemption without an order (docs/api.md). */
export const redemptionFields = {
  id: required('id', key),
  points: optional('points', positivePoints, undefined),
  reward: optional('reward', nonEmptyText, undefined),
  hold: optional('hold', boolean, false),
  orderId: optional('order_id', nonBlankKey, undefined),
  reason: required('reason', nonBlankText),
}

export const REDEMPTION_WORDS: RecordWords<typeof redemptionFields> = {
  title: 'NewRedemption',
  description: 'Points to be held or spent',
  fields: {
    id: 'idempotency key, unique per player',
    points: 'number of points; exactly one of points and reward is required',
    reward: 'a reward of the program, at the cost set there',
    hold: 'if true, hold the points for a while; default: false, spend them at once',
    orderId: 'ID of the order to hold the points for; default: any order of this player',
    reason: 'human-readable purpose; non-blank',
  },
}

/** The JSON Schema of a new redemption: exactly one of `points` and `reward`, where null is the same as absent. */
export const redemptionSchema: TSchema = {
  ...schemaOf(redemptionFields, REDEMPTION_WORDS),
  oneOf: (['points', 'reward'] as const).map((name) => {
    const other = name === 'points' ? 'reward' : 'points'
    const { schema } = redemptionFields[name].field
    return Type.Object({
      [name]: { ...schema, description: REDEMPTION_WORDS.fields[name] },
      [other]: Type.Optional(Type.Null({ description: `null or omitted if ${name} is given` })),
    })
  }),
}

export const confirmationFields = { points: optional('points', positivePoints, undefined) }

export const CONFIRMATION_WORDS: RecordWords<typeof confirmationFields> = {
  title: 'Confirmation',
  description: 'The part of a hold to spend',
  fields: { points: 'at most the points held, the rest is released; default: all of them' },
}

export const voidingFields = {
  points: optional('points', positivePoints, undefined),
  reason: required('reason', nonBlankText),
}

export const VOIDING_WORDS: RecordWords<typeof voidingFields> = {
  title: 'Voiding',
  description: 'The part of a redemption to void, and the reason',
  fields: {
    points: 'points to release or refund, the rest stays; default: all of them',
    reason: 'human-readable reason; non-blank. With points, also the idempotency key, unique per part',
  },
}

/** Reads a new redemption. Errors: InvalidInput. */
export function readRedemption(data: unknown): RedeemCommand {
  const { id, points, reward, hold, orderId, reason } = readRecord(redemptionFields, data, 'data')
  if ((points === undefined) === (reward === undefined))
    throw new InvalidInput('data.points', 'expected exactly one of points and reward')
  return {
    ...{ act: 'redeem', id, hold, reason },
    ...(points === undefined ? {} : { points }),
    ...(reward === undefined ? {} : { reward }),
    ...(orderId === undefined ? {} : { orderId }),
  }
}

/** Reads the confirmation of a hold. Errors: InvalidInput. */
export function readConfirmation(id: string, data: unknown): RedeemCommand {
  const { points } = readRecord(confirmationFields, data, 'data')
  return { act: 'confirm', id, ...(points === undefined ? {} : { points }) }
}

/** Reads the voiding of a redemption. Errors: InvalidInput. */
export function readVoiding(id: string, data: unknown): RedeemCommand {
  const { points, reason } = readRecord(voidingFields, data, 'data')
  return { act: 'void', id, ...(points === undefined ? {} : { points }), reason }
}
