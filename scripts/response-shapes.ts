import type { TSchema } from 'typebox'
import type { CheckedName } from '../src/cli/response-shape.ts'
import { isAddedField, Type } from '../src/engine/points/json-schema.ts'
import { JOB_KINDS } from '../src/resources/jobs/kinds/index.ts'
import { RESPONSES, type RouteName } from '../src/server/responses.ts'

const JOB = 'GET /api/admin/jobs/:id'
const { properties: jobFields } = RESPONSES[JOB]

const jobs = Object.fromEntries(
  Object.entries(JOB_KINDS).map(([kind, { result }]): [string, TSchema] => [`${JOB} ${kind}`, Type.Object({ result })]),
) as Readonly<Record<Exclude<CheckedName, RouteName>, TSchema>>

/** What is checked: the response of each route, and apart from it the result of each kind of job, because only who started a job knows its kind. */
export const CHECKED: Readonly<Record<CheckedName, TSchema>> = {
  ...RESPONSES,
  [JOB]: Type.Object({ ...jobFields, result: Type.Unsafe<object | null>({ type: ['object', 'null'] }) }),
  ...jobs,
}

/** What the check of a response looks at (src/cli/response-shape.ts): no words for people, and no lists of words, which a newer service may add to. */
const KEPT = ['type', 'anyOf', 'items', 'required', 'additionalProperties', 'pattern', 'format', 'minimum', 'maximum']

/** `schemas/responses.json`: the shape of the response of each route and of each kind of job's result, a line each. */
export function responseShapesText(): string {
  const lines = Object.entries(CHECKED).map(
    ([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(shapeOf(schema))}`,
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
