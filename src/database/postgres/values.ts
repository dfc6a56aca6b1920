/* Parsers for types that the library would read differently: int8 as a number; numeric, dates and timestamps as text. */
import pg from 'pg'

type ReadValue = (text: string) => unknown

const asText: ReadValue = (text) => text
const libraryReader = pg.types.getTypeParser as (oid: number, format?: string) => ReadValue
const textArray = libraryReader(1009) as (text: string) => unknown[]
const safeInteger: ReadValue = (text) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`the database answered ${text}, beyond the safe integers`)
  return number
}
const safeIntegers: ReadValue = (text) =>
  textArray(text).map((item) => (item === null ? null : safeInteger(String(item))))

const readers = new Map<number, ReadValue>([
  [20, safeInteger],
  [1016, safeIntegers],
  // numeric, date, time, timestamp, timestamptz, timetz, interval
  ...[1700, 1082, 1083, 1114, 1184, 1266, 1186].map((oid) => [oid, asText] as const),
  // Arrays of these.
  ...[1231, 1182, 1183, 1115, 1185, 1270, 1187].map((oid) => [oid, textArray] as const),
])

/** The parser for a type: from the database's text to the same JavaScript values that the embedded database yields. */
export function valueReader(oid: number, format?: 'text' | 'binary'): ReadValue {
  return (format === 'binary' ? undefined : readers.get(oid)) ?? libraryReader(oid, format)
}
