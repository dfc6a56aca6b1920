/*
 * JSON Schemas with TypeBox's types but without its code: its builders are 370 modules, and its compiler 300 more, which every process and
 * every worker thread would load (docs/decisions/0100-dependencies.md). The schemas are byte for byte those that TypeBox would build.
 */
import type { TOptional, TSchema, Type as TypeBox } from 'typebox'

/** Properties that do not appear in a schema's JSON: those that TypeBox reads, such as its kind and whether the field is optional, and two of ours. */
type Hidden = Readonly<{ '~kind'?: string; '~optional'?: true; '~immutable'?: true; '~unsafe'?: null }> &
  Readonly<{ '~added'?: true; '~personal'?: PersonalKind }>

/** `id`: the ID of a player. `text`: a text in which one may stand. */
type PersonalKind = 'id' | 'text'

function withHidden<Schema extends object>(schema: Schema, hidden: Hidden): Schema {
  for (const [name, value] of Object.entries(hidden))
    Object.defineProperty(schema, name, { configurable: true, writable: true, enumerable: false, value })
  return schema
}

/** A copy of the schema with one more hidden property. */
function marked(schema: object, mark: Hidden): object {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
  return withHidden(copy, mark)
}

function typed(kind: string, schema: object, options: object = {}): object {
  return withHidden({ ...schema, ...options }, { '~kind': kind })
}

const requiredOf = (properties: Readonly<Record<string, object>>) =>
  Object.keys(properties).filter((name) => !Object.hasOwn(properties[name]!, '~optional'))

function objectOf(properties: Readonly<Record<string, TSchema>>, options?: object): object {
  const required = requiredOf(properties)
  return typed('Object', { type: 'object', ...(required.length > 0 ? { required } : {}), properties }, options)
}

const builders = {
  Array: (items: TSchema, options?: object) => typed('Array', { type: 'array', items }, options),
  Boolean: (options?: object) => typed('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly string[], options?: object) => typed('Enum', { enum: values }, options),
  Immutable: (schema: TSchema) => marked(schema, { '~immutable': true }),
  Integer: (options?: object) => typed('Integer', { type: 'integer' }, options),
  Literal: (value: string, options?: object) => typed('Literal', { type: 'string', const: value }, options),
  Null: (options?: object) => typed('Null', { type: 'null' }, options),
  Number: (options?: object) => typed('Number', { type: 'number' }, options),
  Object: objectOf,
  Optional: (schema: TSchema) => marked(schema, { '~optional': true }),
  String: (options?: object) => typed('String', { type: 'string' }, options),
  Union: (anyOf: readonly TSchema[], options?: object) => typed('Union', { anyOf }, options),
  Unknown: (options?: object) => typed('Unknown', {}, options),
  Unsafe: (schema: TSchema) => marked(schema, { '~unsafe': null }),
}

/** The subset of TypeBox's builders that is used here. A test compares each with the library's own. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>

/**
 * A field that answers have not always had. A service always sends it, so that its schema requires it; whoever reads an answer may speak to a service
 * from before, so that its type is optional, and a command does without it.
 */
export function addedField<Schema extends TSchema>(schema: Schema): TOptional<Schema> {
  return marked(schema, { '~added': true }) as TOptional<Schema>
}

/** A field of an answer under its former name, marked as deprecated, and under that of today, which was added (decision 219). */
export function renamedField<Former extends string, Today extends string, Schema extends TSchema>(
  former: Former,
  today: Today,
  schema: Schema,
) {
  const deprecated = Object.assign(marked(schema, {}), { deprecated: true })
  return { [former]: deprecated, [today]: addedField(schema) } as Record<Former, Schema> &
    Record<Today, TOptional<Schema>>
}

export function isAddedField(schema: object): boolean {
  return Object.hasOwn(schema, '~added')
}

/** The schema of a text that tells who somebody is: whoever may not see it gets a handle in place of an ID, and nothing of another text (decision 218). */
export function personal<Schema extends TSchema>(kind: PersonalKind, schema: Schema): Schema {
  return marked(schema, { '~personal': kind }) as Schema
}

/** What a schema made by `personal` describes; undefined for any other. */
export function personalKindOf(schema: object): PersonalKind | undefined {
  return (schema as Hidden)['~personal']
}
