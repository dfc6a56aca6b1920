import { OperatorError } from '../../errors.ts'
import type { RecordFields } from '../../ingest/record.ts'
import { shown } from '../../ingest/shown.ts'

export type FieldNameCheck = Readonly<{
  /** Looks at the columns of a CSV file. Errors: OperatorError where a required one is missing: every record would be skipped. */
  checkColumns: (columns: readonly string[]) => void
  /** A record as it is sent: an empty cell of an optional column is left out, for a row of CSV cannot leave out a field. */
  fit: (record: unknown) => unknown
}>

const UNKNOWN_NAMED_MAX = 20

/** Checks the names that a file uses. One that no record has is most often mistyped, so there is a warning, once. */
export function createFieldNameCheck(fields: RecordFields): FieldNameCheck {
  const known = new Map(Object.values(fields).map((field) => [field.wire, field]))
  const named = new Set<string>()
  let isCsv = false
  const warn = (names: readonly string[]) => {
    const unknown = names
      .filter((name) => !known.has(name) && !named.has(name))
      .slice(0, UNKNOWN_NAMED_MAX - named.size)
    if (unknown.length === 0) return
    for (const name of unknown) named.add(name)
    const shownNames = unknown.map((name) => shown(name)).join(', ')
    process.stderr.write(
      `laurel: ignored, for no record has such a field: ${shownNames}; expected ${[...known.keys()].join(', ')}\n`,
    )
  }
  return {
    checkColumns: (columns) => {
      isCsv = true
      const missing = [...known.values()].filter(({ required, wire }) => required && !columns.includes(wire))
      if (missing.length > 0)
        throw new OperatorError(
          missingColumns(
            columns,
            missing.map(({ wire }) => wire),
          ),
        )
      warn(columns)
    },
    fit: (record) => {
      if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
      if (!isCsv) {
        if (named.size < UNKNOWN_NAMED_MAX) warn(Object.keys(record))
        return record
      }
      const cells = Object.entries(record).filter(([name, cell]) => cell !== '' || known.get(name)?.required === true)
      return Object.fromEntries(cells)
    },
  }
}

function missingColumns(columns: readonly string[], missing: readonly string[]): string {
  const [only = ''] = columns
  const hint =
    columns.length === 1 && /[;\t|]/.test(only)
      ? '; the columns look separated by something else than a comma'
      : missing.flatMap((name) => {
          const alike = columns.find((column) => column.trim().toLowerCase() === name.toLowerCase())
          return alike === undefined ? [] : [`; it has ${shown(alike)}, write ${name}`]
        })[0]
  return `the first line has no column ${missing.join(', ')}${hint ?? ''}`
}
