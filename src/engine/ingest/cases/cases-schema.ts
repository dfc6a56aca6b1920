/*
 * The JSON Schema of a file of test orders, for editors. It accepts every file that is read; `program check` finds more.
 */
import type { TSchema } from 'typebox'
import { Type } from '../../points/json-schema.ts'
import { key } from '../fields.ts'
import { LINE_WORDS, lineFields, ORDER_WORDS, orderFields } from '../order.ts'
import { PRODUCT_WORDS } from '../product.ts'
import { type RecordFields, schemaOf } from '../record.ts'
import { REDEMPTION_WORDS } from '../redemption.ts'
import { expectedFields } from './case-expected.ts'
import { redeemFields, waitField } from './case-steps.ts'
import { caseFields, fileFields, testPlayerFields, testProductFields } from './read-cases.ts'

/** The schema of an object that has no other fields. `schemas` replace those of fields whose contents are read apart. */
function closed<Fields extends RecordFields>(
  fields: Fields,
  words: Readonly<Record<keyof Fields, string>>,
  description: string,
  schemas: Readonly<Record<string, object>> = {},
): TSchema {
  const { properties, required } = schemaOf(fields, { title: '', description, fields: words }) as unknown as {
    properties: Readonly<Record<string, object>>
    required?: readonly string[]
  }
  const described = Object.entries(schemas).map(([name, schema]) => [name, { ...properties[name], ...schema }])
  return {
    type: 'object',
    ...(required === undefined ? {} : { required }),
    properties: { ...properties, ...Object.fromEntries(described) },
    additionalProperties: false,
    description,
  } as TSchema
}

const product = closed(
  testProductFields,
  { price: PRODUCT_WORDS.fields.price, attributes: 'what conditions may ask about the product' },
  'a product with its price and attributes',
)

const player = closed(
  testPlayerFields,
  {
    region: 'state of the player',
    district: 'district of the player',
    country: 'country of the player',
    gender: 'male or female',
    dateOfBirth: 'date of birth, DD-MM-YYYY',
    referralCode: "the player's own referral code",
    points: 'initial points; default: 0',
    counts: 'if true, the initial points count for the level; default: true',
    participates: 'if false, the player earns nothing; default: true',
    attributes: 'what conditions may ask about the player',
  },
  'a player',
)

const expected = closed(
  expectedFields,
  {
    points: 'points of the order',
    level: 'level after the order',
    message: 'message of the prediction',
    balance: "the player's points after the step",
    available: 'points that can be spent after the step, including held ones',
    pending: 'pending points after the step',
    held: 'held points after the step',
    refused: 'why the step is refused',
    earned: 'exact points by rule, like { base: "123.4" }',
    notApplied: 'rules that give nothing',
  },
  'the expected result; what is not named is not compared',
  { earned: { additionalProperties: Type.Union([Type.Number(), Type.String()]) } },
)

const lines = {
  anyOf: [{ type: 'array', items: closed(lineFields, LINE_WORDS.fields, LINE_WORDS.description) }, { type: 'string' }],
  description: ORDER_WORDS.fields.lines,
}

const orderSchema = schemaOf(orderFields, ORDER_WORDS) as unknown as { properties: Readonly<Record<string, object>> }
const redemption = closed(redeemFields, REDEMPTION_WORDS.fields, '') as unknown as typeof orderSchema

/** An order or a redemption: which fields go together, the reader checks. */
const step = {
  type: 'object',
  properties: {
    player: { ...key.schema, description: 'player of the step, one of those in players; default: somebody' },
    wait: { ...waitField.schema, description: 'time that passes before the step, like P14D, P1M or PT20M' },
    expect: expected,
    ...redemption.properties,
    ...Object.fromEntries(
      ['redeem', 'confirm', 'void'].map((act) => [
        act,
        { ...key.schema, description: `ID of the redemption to ${act}` },
      ]),
    ),
    ...orderSchema.properties,
    products: lines,
  },
  additionalProperties: false,
  description: 'an order, or a redemption with redeem, confirm or void',
}

const oneCase = closed(
  caseFields,
  { name: 'unique name of the case', orders: 'its steps, one after another' },
  'a case',
  { orders: { items: step } },
)

const file = closed(
  fileFields,
  {
    startsAt: 'time of initial points and of orders without ordered_at; default: 2026-01-01T00:00:00Z',
    amountDecimals: "decimal places of amounts, if more than the program's money.decimals",
    products: 'products by product_sku_id: a price, or an object with amount and attributes',
    players: 'players by ID',
    cases: 'the cases',
  },
  'test orders of a program, with the results that they must have',
  {
    products: { additionalProperties: { anyOf: [testProductFields.price.field.schema, product] } },
    players: { additionalProperties: { anyOf: [player, Type.Null()] } },
    cases: { items: oneCase },
  },
)

/** The schema as a JSON Schema (draft 2020-12) file. Its `$id` is relative, so the file can be served from anywhere. */
export function casesSchemaText(): string {
  const published = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'cases.json',
    title: 'Test orders of a program of Laurel',
    ...file,
  }
  // Editors divide in floating point, where 104.9 is no multiple of 0.0001.
  return `${JSON.stringify(published, (name, value) => (name === 'multipleOf' ? undefined : value), 2)}\n`
}
