/*
 * The parts from which schemas of responses are made.
 */
import type { TSchema } from 'typebox'
import { Type } from '../engine/points/json-schema.ts'

const listOf = <Item extends TSchema>(items: Item, description: string) =>
  Type.Immutable(Type.Array(items, { description }))
const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const text = (description: string) => Type.String({ description })
const texts = (description: string) => listOf(Type.String(), description)
/** RFC 3339, UTC. */
const timestamp = (description: string) => Type.String({ format: 'date-time', description })
const timestampOrNull = (description: string) => orNull(Type.String({ format: 'date-time' }), description)
/** A whole number that JSON carries exactly. */
const whole = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const signed = (description: string) =>
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description })
/** A sum of points: JSON carries it exactly, JavaScript's JSON.parse only to 2^53-1 (json-sums.ts). */
const sum = (description: string) => Type.Integer({ minimum: 0, description })
const signedSum = (description: string) => Type.Integer({ description })
/** An exact number as a string. */
const exact = (description: string) =>
  Type.String({
    pattern: '^-?\\d+(\\.\\d+|/[1-9]\\d*)?$',
    description: `${description}; exact: "123.4", or a fraction like "10/3"`,
  })
const messageText = text('human-readable message')

export const RESPONSE_PARTS = {
  listOf,
  orNull,
  text,
  texts,
  timestamp,
  timestampOrNull,
  whole,
  signed,
  sum,
  signedSum,
  exact,
  messageText,
} as const
