import { isAddedField } from '../src/engine/points/json-schema.ts'
import { ANSWERS } from '../src/server/answers.ts'

/** What the check of an answer looks at (src/cli/answer-shape.ts): no words for people, and no lists of words, which a newer service may add to. */
const KEPT = ['type', 'anyOf', 'items', 'required', 'additionalProperties', 'pattern', 'format', 'minimum', 'maximum']

/** `schemas/answers.json`: the shape of the answer of each route, a line each. */
export function answerShapesText(): string {
  const lines = Object.entries(ANSWERS).map(
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
