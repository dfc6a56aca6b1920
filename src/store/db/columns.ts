/*
 * How records become rows: the columns of a table stand once, and statements, their parameters and COPY's lines are made of them.
 */
import { escaped } from '../../ingest/row.ts'

/** Moments are RFC 3339; JSON is a text; bytes are a text, `\x` and hex. */
type ColumnValue = string | number | bigint | boolean | null | undefined

/** The columns of a table that a record decides, in the order in which they are written: type, and what the record has there. */
export type Columns<T> = Readonly<Record<string, readonly [type: string, read: (record: T) => ColumnValue]>>

/**
 * The parts of a statement that writes many records (sql-file.ts):
 * `:columns`, their names; `:lists`, a parameter for each, from `$first` on; `:now`, the parameter after these, a moment;
 * `:updates`, what an upsert sets: all but `keys`.
 */
export function columnParts(columns: Columns<never>, keys: readonly string[], first = 1): Record<string, string> {
  const names = Object.keys(columns)
  return {
    columns: names.join(', '),
    lists: Object.values(columns)
      .map(([type], index) => `$${first + index}::${type}[]`)
      .join(', '),
    now: `$${first + names.length}::timestamptz`,
    updates: names
      .filter((name) => !keys.includes(name))
      .map((name) => `${name} = excluded.${name}`)
      .join(', '),
  }
}

/** The parameters of `:lists`. */
export function columnLists<T>(columns: Columns<T>, records: readonly T[]): ColumnValue[][] {
  return Object.values(columns).map(([, read]) => records.map(read))
}

/** From so many rows on COPY is faster than lists as parameters (bench/NOTES.md). */
export const COPY_ROWS_MIN = 20

/** The lines of a COPY: what each record has in its columns, and the `same` values at the end of each line. */
export function copyLines<T>(columns: Columns<T>, records: readonly T[], ...same: readonly string[]): string {
  const readers = Object.values(columns).map(([, read]) => read)
  const end = `${same.map((value) => `\t${value}`).join('')}\n`
  let lines = ''
  for (const record of records) {
    for (const [index, read] of readers.entries()) lines += `${index === 0 ? '' : '\t'}${copyText(read(record))}`
    lines += end
  }
  return lines
}

function copyText(value: ColumnValue): string {
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'string' ? escaped(value) : String(value)
}
