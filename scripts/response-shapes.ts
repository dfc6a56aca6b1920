import { isAddedField } from '../src/engine/points/json-schema.ts'
import { RESPONSES } from '../src/server/responses.ts'

/** What the check of a response looks at (src/cli/response-shape.ts): no words for people, and no lists of words, which a newer service may add to. */
const KEPT = ['type', 'anyOf', 'items', 'required', 'additionalProperties', 'pattern', 'format', 'minimum', 'maximum']

/** `schemas/responses.json`: the shape of the response of each route, a line each. */
export function responseShapesText(): string {
  const lines = Object.entries(RESPONSES).map(
    ([route, schema]) => `${JSON.stringify(route)}: ${JSON.stringify(shapeOf(schema))}`,
  )
  return `{\n${lines.join(',\n')}\n}\n`
}

function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([name]) => KEPT.includes(name))
  const { properties, required } = schema as Readonly<{
    properties?: Readonly<Record<string, object>>
    required?: readonly string[]
  }>
  return {
    ...Object.fromEntries(kept.map(([name, inner]) => [name, shapeOf(inner)])),
    ...(properties === undefined
      ? {}
      : {
          ...(required === undefined ? {} : { required: required.filter((name) => !isAddedField(properties[name]!)) }),
          properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, shapeOf(inner)])),
        }),
  }
}
