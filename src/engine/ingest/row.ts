/*
 * A record as a line of text: its values separated by tabs, in the format of PostgreSQL's COPY. The same text is hashed, sent to the
 * database, and is all that is kept of a record in memory.
 */

const SPECIAL = /[\\\t\n\r]/
const SPECIALS = /[\\\t\n\r]/g
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const UNESCAPED: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r' }

/** A value of a row, with backslashes, tabs and line breaks escaped. */
export function escaped(value: string): string {
  return SPECIAL.test(value) ? value.replace(SPECIALS, (special) => ESCAPED[special]!) : value
}

/** Stands for an absent value: null in the database. */
export const ABSENT = '\\N'

/** The values of a record, unescaped; null where one is absent. */
export type Values = readonly (string | null)[]

/** The row with these values. */
export function rowOfValues(values: Values): string {
  return values.map((value) => (value === null ? ABSENT : escaped(value))).join('\t')
}

/** The values of a row. */
export function valuesOf(row: string): (string | null)[] {
  const values = row.split('\t')
  return row.includes('\\') ? values.map(unescaped) : values
}

function unescaped(value: string): string | null {
  if (value === ABSENT) return null
  return value.replace(/\\(.)/g, (_, letter: string) => UNESCAPED[letter]!)
}
