/* Parses column values: from the database's text to the same JavaScript values that the PostgreSQL driver yields (int8 as number). */

/** A column of a result: its name and how to parse its text. */
export interface Column {
  readonly name: string
  readonly read: (text: string, name: string) => unknown
}

/** The columns in a row description. Errors: none; a forbidden type is reported when a value of it is read. */
export function readColumns(buffer: Buffer, start: number): Column[] {
  const columns: Column[] = []
  let at = start + 2
  for (let left = buffer.readUInt16BE(start); left > 0; left--) {
    const end = buffer.indexOf(0, at)
    const type = buffer.readUInt32BE(end + 7)
    columns.push({ name: buffer.toString('utf8', at, end), read: readers.get(type) ?? asText })
    at = end + 19
  }
  return columns
}

/** Reads one row. Errors: `RangeError` for an integer outside the safe range, `TypeError` for a type that the two drivers read differently. */
export function readRow(buffer: Buffer, start: number, columns: readonly Column[]): object {
  const row: Record<string, unknown> = {}
  let at = start + 2
  for (const { name, read } of columns) {
    const length = buffer.readInt32BE(at)
    at += 4
    if (length < 0) {
      row[name] = null
    } else {
      row[name] = read(buffer.toString('utf8', at, at + length), name)
      at += length
    }
  }
  return row
}

function asText(text: string): string {
  return text
}

function asInteger(text: string, name: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`column "${name}" holds ${text}, outside the safe integers: return it as text`)
}

function asBytes(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}

function listOf(read: (text: string, name: string) => unknown) {
  return (text: string, name: string): unknown[] => {
    if (!text.startsWith('{') || text.startsWith('{{'))
      throw new TypeError(`column "${name}" is no plain list: return it as jsonb`)
    const list: unknown[] = []
    for (const [item, quoted] of text.matchAll(/"((?:[^"\\]|\\.)*)"|[^,{}]+/gs)) {
      if (quoted !== undefined) list.push(read(quoted.replace(/\\(.)/gs, '$1'), name))
      else list.push(item === 'NULL' ? null : read(item, name))
    }
    return list
  }
}

function forbidden(_text: string, name: string): never {
  throw new TypeError(
    `column "${name}" has a type that the database drivers read differently: return it as text or jsonb`,
  )
}

// Everything not named here is text in both drivers: text, numeric, dates and moments (ISO, UTC), uuid, names, enums.
const readers = new Map<number, (text: string, name: string) => unknown>([
  [16, asBoolean], // boolean
  [17, asBytes], // bytea
  [20, asInteger], // int8
  [21, Number], // int2
  [23, Number], // int4
  [26, Number], // oid
  [700, Number], // float4
  [701, Number], // float8
  [114, asJson], // json
  [3802, asJson], // jsonb
  [1000, listOf(asBoolean)], // boolean[]
  [1005, listOf(Number)], // int2[]
  [1007, listOf(Number)], // int4[]
  [1016, listOf(asInteger)], // int8[]
])
// Lists of text, varchar, numeric, date, time, timestamp, timestamptz, timetz, interval.
for (const type of [1009, 1015, 1231, 1182, 1183, 1115, 1185, 1270, 1187]) readers.set(type, listOf(asText))
// Points, circles; lists of points, bytes, json, jsonb, floats: node-postgres creates objects of its own.
for (const type of [600, 718, 1017, 1001, 199, 3807, 1021, 1022]) readers.set(type, forbidden)

function asBoolean(text: string): boolean {
  return text === 't'
}

function asJson(text: string): unknown {
  return JSON.parse(text)
}
