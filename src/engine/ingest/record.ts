/*
 * A record on the wire as a table of fields: our names on the left, the wire's on the right. Everything that is sent is read here; the
 * wire's spellings go no further.
 */
import type { TSchema } from 'typebox'
import { CallerError, InvalidInput } from '../../errors.ts'
import { Type } from '../points/json-schema.ts'
import { shown } from './shown.ts'

/** How a value on the wire is read, and its schema. */
export type Field<T> = Readonly<{ schema: TSchema; read: (value: unknown) => T }>

/** A field of a record under its name on the wire. `absent` is the value of an optional field that is missing or `null` (decision 8). */
export type RecordField<T> = Readonly<{ wire: string; field: Field<T>; required: boolean; absent?: T }>

/** The fields of a record: our names on the left, the wire's on the right. */
export type RecordFields = Readonly<Record<string, RecordField<unknown>>>

/** The record that `readRecord` reads from a table of fields. */
export type RecordOf<Fields extends RecordFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends RecordField<infer T> ? T : never
}

/** A value that is not what was expected; `readRecord` adds its path. */
export class InvalidValue extends CallerError {
  readonly expected: string
  constructor(expected: string, value: unknown) {
    super(`expected ${expected}, got ${shown(value)}`)
    this.expected = expected
  }
}

/** The title of a record in the API description, and descriptions of it and of each of its fields. */
export type RecordWords<Fields> = Readonly<{
  title: string
  description: string
  fields: Readonly<Record<keyof Fields, string>>
}>

/** The JSON Schema of a table of fields, under the wire's names, for the API description. */
export function schemaOf<Fields extends RecordFields>(
  fields: Fields,
  { title, description, fields: words }: RecordWords<Fields>,
): TSchema {
  const properties = Object.entries(fields).map(([name, { wire, field, required }]) => {
    const described = { ...(required ? field.schema : orNull(field.schema)), description: words[name]! }
    return [wire, required ? described : Type.Optional(described)] as const
  })
  return Type.Object(Object.fromEntries(properties), { title, description })
}

function orNull(schema: TSchema): TSchema {
  const { anyOf = [schema] } = schema as { anyOf?: TSchema[] }
  return Type.Union([...anyOf, Type.Null()])
}

/** A field that must be present. */
export function required<T>(wire: string, field: Field<T>): RecordField<T> {
  return { wire, field, required: true }
}

/** A field that may be missing or `null`; its value is then `absent`. */
export function optional<T, Absent>(wire: string, field: Field<T>, absent: Absent): RecordField<T | Absent> {
  return { wire, field, required: false, absent }
}

/**
 * Reads the fields of a table, in its order, and ignores all others (decision 8).
 * `path` is the record's own path: `data[17]`. Errors: InvalidInput for the first invalid field.
 */
export function readRecord<Fields extends RecordFields>(fields: Fields, data: unknown, path: string): RecordOf<Fields> {
  const raw = asObject(data, path)
  const record: Record<string, unknown> = {}
  for (const name in fields) record[name] = readField(raw, fields[name]!, path)
  return record as RecordOf<Fields>
}

/**
 * Compiles a table of fields into a faster `readRecord`, for records that arrive by the thousand. Compile each table only once.
 *
 * The reader is generated code, with a line for each field: a thread that parses and reads handles a fifth more players, and a third
 * more orders (bench/NOTES.md). Only our own table becomes code, nothing that was sent. A record that it cannot read is read again by
 * `readRecord`, which reports the field and the reason.
 */
export function compileReader<Fields extends RecordFields>(
  fields: Fields,
): (data: unknown, path: string) => RecordOf<Fields> {
  refuseInherited(fields)
  let read: GeneratedReader | undefined
  return (data, path) => {
    const raw = asObject(data, path)
    // Only once it is needed: the console loads tables of fields, and a browser runs no generated code.
    read ??= generateReader(fields)
    try {
      const record = read(raw)
      if (record !== undefined) return record as RecordOf<Fields>
    } catch {
      // `readRecord` below reports what was wrong.
    }
    return readRecord(fields, raw, path)
  }
}

type GeneratedReader = (raw: Readonly<Record<string, unknown>>) => object | undefined

/** A name that every object inherits would be found even if nothing was sent. */
function refuseInherited(fields: RecordFields): void {
  const inherited = Object.values(fields).find(({ wire }) => wire in {})
  if (inherited !== undefined)
    throw new Error(`every object inherits a property ${inherited.wire}, so no field can have that name`)
}

/** Generates a reader's code from a table of fields. The reader returns undefined if a required field is missing. */
function generateReader(fields: RecordFields): GeneratedReader {
  const described = Object.values(fields)
  const reads = described.map(({ wire, required }, index) => {
    const missing = required ? 'return undefined' : `v${index} = absent[${index}]`
    return `let v${index} = raw[${JSON.stringify(wire)}]
      if (v${index} === undefined || v${index} === null) ${missing}; else v${index} = read[${index}](v${index})`
  })
  const record = Object.keys(fields).map((name, index) => `${JSON.stringify(name)}: v${index}`)
  const code = `return (raw) => { ${reads.join('\n')}\n return { ${record.join(', ')} } }`
  const make = new Function('read', 'absent', code) as (read: unknown, absent: unknown) => GeneratedReader
  return make(
    described.map(({ field }) => field.read),
    described.map(({ absent }) => absent),
  )
}

function readField<T>(raw: Readonly<Record<string, unknown>>, described: RecordField<T>, path: string): T {
  const { wire, field } = described
  // Own properties only: the prototype's `toString` was not sent.
  const value = Object.hasOwn(raw, wire) ? raw[wire] : undefined
  if (value === undefined || value === null) {
    if (!described.required) return described.absent as T
    const got = value === null ? ', got null' : ''
    throw new InvalidInput(`${path}.${wire}`, `${wire} is required${got}`, 'required')
  }
  try {
    return field.read(value)
  } catch (error) {
    if (error instanceof InvalidValue) throw new InvalidInput(`${path}.${wire}`, error.message, error.expected)
    // The path of a nested issue, such as in a product line, is relative to this field.
    if (error instanceof InvalidInput) throw new InvalidInput(`${path}.${wire}${error.path}`, error.message, error.kind)
    throw error
  }
}

function asObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new InvalidInput(path, `expected an object, got ${shown(value)}`, 'an object')
}
