/*
 * How records become rows: a table's columns are listed once, and statements, their parameters and COPY lines are derived from that list.
 */
import { escaped } from '../../engine/ingest/row.ts'

/** Moments are RFC 3339 strings; JSON is a string; bytes are a string of `\x` and hex. */
type ColumnValue = string | number | bigint | boolean | null | undefined

/** The columns of a table that come from a record, in the order in which they are written: SQL type, and how to read the value. */
export type Columns<T> = Readonly<Record<string, readonly [type: string, read: (record: T) => ColumnValue]>>

/**
 * The parts of a statement that writes many records (sql-file.ts):
 * `:columns`, the column names; `:lists`, one array parameter per column, starting at `$first`; `:now`, the parameter after those, a moment;
 * `:updates`, the assignments of an upsert: all columns but `keys`.
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

/** From this many rows on, COPY is faster than arrays as parameters (bench/NOTES.md). */
export const COPY_ROWS_MIN = 20

/** The lines of a COPY: each record's columns, followed by the values in `same`, which every line shares. */
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
