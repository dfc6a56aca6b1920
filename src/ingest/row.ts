/*
 * A record as one line of text: its values between tabs, as PostgreSQL's COPY takes them. One text serves three ends: it is hashed, it is
 * sent, and it is all of a record that stays in memory.
 */

const SPECIAL = /[\\\t\n\r]/
const SPECIALS = /[\\\t\n\r]/g
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const UNESCAPED: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r' }

/** One value of a row: what has a meaning between values and lines is escaped. */
export function escaped(value: string): string {
  return SPECIAL.test(value) ? value.replace(SPECIALS, (special) => ESCAPED[special]!) : value
}

/** In place of a value that is absent: null in the database. */
export const ABSENT = '\\N'

/** The values of a row as they were before `escaped`; null where one is absent. */
export function valuesOf(row: string): (string | null)[] {
  const values = row.split('\t')
  return row.includes('\\') ? values.map(unescaped) : values
}

function unescaped(value: string): string | null {
  if (value === ABSENT) return null
  return value.replace(/\\(.)/g, (_, letter: string) => UNESCAPED[letter]!)
}
