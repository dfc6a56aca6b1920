/** Rows under a head, in columns as wide as their widest cell. Those of `numbers` stand to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string {
  const all = [head, ...rows]
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

/** A stored text may hold control characters; on a terminal they would be commands. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
