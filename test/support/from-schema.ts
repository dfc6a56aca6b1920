/*
 * Generates values of the schemas of the API description, for every part of JSON Schema that they use.
 */
import fc from 'fast-check'

type Schema = Readonly<{
  anyOf?: readonly Schema[]
  enum?: readonly string[]
  const?: string
  type?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  maxItems?: number
  minItems?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  contentSchema?: Schema
  additionalProperties?: boolean | Schema
}>

/** Lists stay this short. */
const ITEMS_MAX = 4

/** Of the few that fit into a line. */
const attributes = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/),
  fc.oneof(
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.string({ maxLength: 8 }),
    fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
  ),
  { maxKeys: 3, noNullPrototype: true },
)

/** Errors: for anything it does not know, so that no part of a schema goes untried. */
export function fromSchema(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, enum: words, type } = schema
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(fromSchema))
  if (words !== undefined) return fc.constantFrom(...words)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'string') return textOf(schema)
  if (type === 'integer' || type === 'number') return numberOf(schema)
  if (type === 'array')
    return fc.array(fromSchema(schema.items!), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX),
    })
  if (type === 'object') {
    if (typeof schema.additionalProperties === 'object') return attributes
    const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, fromSchema(inner)] as const)
    return fc.record<Record<string, unknown>>(Object.fromEntries(fields), {
      requiredKeys: [...(schema.required ?? [])],
      noNullPrototype: true,
    })
  }
  throw new Error(`no values are known for ${JSON.stringify(schema)}`)
}

function numberOf({ minimum = 0, maximum = 0, multipleOf = 1 }: Schema): fc.Arbitrary<number> {
  const steps = Math.round(1 / multipleOf)
  const ofSteps = (max: number) => fc.integer({ min: minimum * steps, max: max * steps }).map((count) => count / steps)
  // Small ones often; the largest whole number of steps is not above the largest safe integer.
  return fc.oneof(ofSteps(Math.min(maximum, 1_000)), ofSteps(Math.floor(maximum)))
}

function textOf({ pattern = '^.*$', format, contentSchema, minLength = 0, maxLength = 1_000 }: Schema) {
  if (contentSchema !== undefined) return fromSchema(contentSchema).map((value) => JSON.stringify(value))
  if (format === 'date-time')
    return fc
      .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2025-12-31T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString())
  if (format === 'date')
    return fc
      .date({ min: new Date('2000-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
  return fc
    .stringMatching(new RegExp(pattern))
    .filter((text) => text.isWellFormed() && text.length >= minLength && text.length <= maxLength)
}
