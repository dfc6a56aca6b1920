import { escapeControls } from '../../text.ts'

/** Rows under a head, control characters escaped, in columns as wide as their widest cell. Columns in `numbers` are right-aligned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string {
  const all = [head, ...rows.map((row) => row.map(escapeControls))]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) =>
            numbers.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
          )
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
