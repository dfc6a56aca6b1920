/*
 * A record of the wire as a table of fields: our names on the left, the wire's on the right. The only way in for what was sent.
 */
import { type TSchema, Type } from 'typebox'
import { InvalidInput } from '../errors.ts'
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

/** One value that does not fit; `readRecord` adds where. */
export class Misfit extends Error {
  constructor(expected: string, value: unknown) {
    super(`expected ${expected}, got ${shown(value)}`)
  }
}

/** The JSON Schema of a table of fields, under the wire's names: what the API description says of a record. */
export function schemaOf(fields: RecordFields): TSchema {
  const described = Object.values(fields).map(
    ({ wire, field, required }) =>
      [wire, required ? field.schema : Type.Optional(Type.Union([field.schema, Type.Null()]))] as const,
  )
  return Type.Object(Object.fromEntries(described))
}

export function required<T>(wire: string, field: Field<T>): RecordField<T> {
  return { wire, field, required: true }
}

export function optional<T, Absent>(wire: string, field: Field<T>, absent: Absent): RecordField<T | Absent> {
  return { wire, field, required: false, absent }
}

/**
 * Reads the fields of a table, in its order, and nothing else (decision 8).
 * `at` is the record's own path: `data[17]`. Errors: InvalidInput for the first field that does not fit.
 */
export function readRecord<Fields extends RecordFields>(fields: Fields, data: unknown, at: string): RecordOf<Fields> {
  const raw = asObject(data, at)
  try {
    const record = compiled(fields)(raw)
    if (record !== undefined) return record as RecordOf<Fields>
  } catch {
    // Read again, field by field: that knows to say which one it was.
  }
  const record: Record<string, unknown> = {}
  for (const name in fields) record[name] = readField(raw, fields[name]!, at)
  return record as RecordOf<Fields>
}

type CompiledReader = (raw: Readonly<Record<string, unknown>>) => object | undefined

const readers = new WeakMap<RecordFields, CompiledReader>()

/**
 * The same as code: a property for each field, and no table to walk, which takes a third of the time (bench/NOTES.md). Undefined
 * where a required field is missing. A table is compiled once: make it once.
 */
function compiled(fields: RecordFields): CompiledReader {
  const known = readers.get(fields)
  if (known !== undefined) return known
  const names = Object.keys(fields)
  const described = Object.values(fields)
  // A name that every object has by inheritance would be found where nothing was sent.
  if (described.some(({ wire }) => wire in {})) throw new Error('a field has a name that every object has')
  const reads = described.map(({ wire, required }, index) => {
    const missing = required ? 'return undefined' : `v${index} = absent[${index}]`
    return `let v${index} = raw[${JSON.stringify(wire)}]
      if (v${index} === undefined || v${index} === null) ${missing}; else v${index} = read[${index}](v${index})`
  })
  const record = names.map((name, index) => `${JSON.stringify(name)}: v${index}`).join(', ')
  const make = new Function('read', 'absent', `return (raw) => { ${reads.join('\n')}\n return { ${record} } }`)
  const reader: CompiledReader = make(
    described.map(({ field }) => field.read),
    described.map(({ absent }) => absent),
  )
  readers.set(fields, reader)
  return reader
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
    // A fault further in, such as one of a product line, knows only its way from this field.
    if (error instanceof InvalidInput) throw new InvalidInput(`${at}.${wire}${error.path}`, error.message)
    throw error
  }
}

function asObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new InvalidInput(at, `expected an object, got ${shown(value)}`)
}
