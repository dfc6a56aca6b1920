import type { TSchema } from 'typebox'

/** The fields of a schema that none of these values has. */
export function unusedFields(schema: TSchema, values: readonly unknown[], path = ''): string[] {
  const { anyOf, items, properties } = schema as { anyOf?: TSchema[]; items?: TSchema; properties?: object }
  const present = values.filter((value) => value !== null)
  if (anyOf !== undefined)
    return anyOf.flatMap((one) => ('type' in one && one.type === 'null' ? [] : unusedFields(one, present, path)))
  if (items !== undefined) return unusedFields(items, present.flat(), `${path}[]`)
  if (present.length === 0) return [path]
  return Object.entries(properties ?? {}).flatMap(([field, one]) => {
    const having = present.filter((value) => Object.hasOwn(value as object, field))
    return unusedFields(
      one as TSchema,
      having.map((value) => (value as Record<string, unknown>)[field]),
      `${path}.${field}`,
    )
  })
}
