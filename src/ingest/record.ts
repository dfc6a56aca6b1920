/*
 * A record of the wire as a table of fields: our names on the left, the wire's on the right. All that is sent is read here; the wire's
 * spellings go no further.
 */
import type { TSchema } from 'typebox'
import { InvalidInput } from '../errors.ts'
import { Type } from '../points/json-schema.ts'
import { shown } from './shown.ts'

/** How one value of the wire is read, and how it is described. */
export type Field<T> = Readonly<{ schema: TSchema; read: (value: unknown) => T }>

/** A field of a record under its name on the wire. `absent` stands in for an optional one that is not there, or `null` (decision 11). */
export type RecordField<T> = Readonly<{ wire: string; field: Field<T>; required: boolean; absent?: T }>

/** The fields of a record: our names on the left, the wire's on the right. */
export type RecordFields = Readonly<Record<string, RecordField<unknown>>>

/** What `readRecord` makes of a table of fields. */
export type RecordOf<Fields extends RecordFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends RecordField<infer T> ? T : never
}

/** A value that does not fit; `readRecord` adds where it stands. */
export class Misfit extends Error {
  constructor(expected: string, value: unknown) {
    super(`expected ${expected}, got ${shown(value)}`)
  }
}

/** What the API description calls a record, and says of it and of each of its fields. */
export type RecordWords<Fields> = Readonly<{
  title: string
  description: string
  fields: Readonly<Record<keyof Fields, string>>
}>

/** The JSON Schema of a table of fields, under the wire's names: what the API description says of a record. */
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

/** A field that must be there. */
export function required<T>(wire: string, field: Field<T>): RecordField<T> {
  return { wire, field, required: true }
}

/** A field that may be missing, or `null`: then its value is `absent`. */
export function optional<T, Absent>(wire: string, field: Field<T>, absent: Absent): RecordField<T | Absent> {
  return { wire, field, required: false, absent }
}

/**
 * Reads the fields of a table, in its order, and nothing else (decision 8).
 * `at` is the record's own path: `data[17]`. Errors: InvalidInput for the first field that does not fit.
 */
export function readRecord<Fields extends RecordFields>(fields: Fields, data: unknown, at: string): RecordOf<Fields> {
  const raw = asObject(data, at)
  const record: Record<string, unknown> = {}
  for (const name in fields) record[name] = readField(raw, fields[name]!, at)
  return record as RecordOf<Fields>
}

/**
 * Makes a reader that does what `readRecord` does, for records that come by the thousand: make it once for a table.
 *
 * It is generated code, with a line for each field and no table to walk: a thread that parses and reads takes in a fifth more players,
 * and a third more orders (bench/NOTES.md). The table is ours; nothing that was sent becomes code. A record that it cannot read is read
 * again field by field, which finds the field and the sentence.
 */
export function compileReader<Fields extends RecordFields>(
  fields: Fields,
): (data: unknown, at: string) => RecordOf<Fields> {
  const read = generateReader(fields)
  return (data, at) => {
    const raw = asObject(data, at)
    try {
      const record = read(raw)
      if (record !== undefined) return record as RecordOf<Fields>
    } catch {
      // What was wrong is found below.
    }
    return readRecord(fields, raw, at)
  }
}

type GeneratedReader = (raw: Readonly<Record<string, unknown>>) => object | undefined

/** The fields of a table as code; what it makes answers undefined where a required field is missing. */
function generateReader(fields: RecordFields): GeneratedReader {
  const described = Object.values(fields)
  // A name that every object has by inheritance would be found where nothing was sent.
  const inherited = described.find(({ wire }) => wire in {})
  if (inherited !== undefined)
    throw new Error(`every object has a property ${inherited.wire}: no field can be named so`)
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

function readField<T>(raw: Readonly<Record<string, unknown>>, described: RecordField<T>, at: string): T {
  const { wire, field } = described
  // Only the record's own fields: a `toString` of the prototype is not something that was sent.
  const value = Object.hasOwn(raw, wire) ? raw[wire] : undefined
  if (value === undefined || value === null) {
    if (!described.required) return described.absent as T
    throw new InvalidInput(`${at}.${wire}`, `${wire} is required, got ${value === null ? 'null' : 'nothing'}`)
  }
  try {
    return field.read(value)
  } catch (error) {
    if (error instanceof Misfit) throw new InvalidInput(`${at}.${wire}`, error.message)
    // The path of a nested fault, such as one of a product line, begins at this field.
    if (error instanceof InvalidInput) throw new InvalidInput(`${at}.${wire}${error.path}`, error.message)
    throw error
  }
}

function asObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new InvalidInput(at, `expected an object, got ${shown(value)}`)
}
